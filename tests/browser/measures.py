"""What is measured inside a page: marks of a chart, contrast of text, what sticks out."""

from __future__ import annotations

#: Marks drawn in each chart: shapes of an SVG, or whether a canvas has more than one colour.
MARKS = """() => Object.fromEntries([...document.querySelectorAll('[data-chart]')].map((place) => {
  const canvas = place.querySelector('canvas');
  const shapes = '[role="graphics-symbol"], .mark-line path, .mark-rect path, .mark-rule line, .mark-symbol path';
  if (!canvas) return [place.dataset.chart, place.querySelector('svg').querySelectorAll(shapes).length];
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4 * 97) colours.add(`${pixels[i]},${pixels[i + 1]},${pixels[i + 2]}`);
  return [place.dataset.chart, colours.size - 1];
}))"""

#: Text with a contrast below 4.5 against what is behind it: [contrast, text], worst first.
FAINT = """() => {
  const parse = (colour) => {
    const n = (colour.match(/[\\d.]+/g) || []).map(Number);
    return n.length < 4 ? [...n, 1] : n;
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest('script, style, noscript, .vega-actions')) continue;
    if (!element.checkVisibility() || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const under = behind(element);
    const ink = over(parse(element.closest('svg') ? style.fill : style.color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), node.textContent.trim().slice(0, 60)]);
  }
  if (found.length < 50) return [[0, 'too little text was looked at']];
  return found.filter(([contrast]) => contrast < 4.5).sort((a, b) => a[0] - b[0]);
}"""

#: What is wider than the window, or sticks out of it without being inside something that scrolls.
STICKING_OUT = """() => {
  const wide = document.documentElement.scrollWidth > window.innerWidth ? ['the page itself'] : [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('.scroll') && !element.matches('.scroll')) continue;
    if (element.closest('svg, .vega-actions, pre') && !element.matches('svg')) continue;
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > window.innerWidth + 1 || box.left < -1)) wide.push(element.outerHTML.slice(0, 120));
  }
  return wide;
}"""

#: Texts of a chart that lie upon each other: labels and titles of axes, names in the drawing, entries of legends.
OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('[data-chart] svg')) {
    const roles = ['role-axis-label', 'role-axis-title', 'role-legend-label', 'mark-text.role-mark'];
    const texts = [...svg.querySelectorAll(roles.map((role) => `.${role} text`).join(', '))]
      .filter((text) => text.textContent.trim() && Number(getComputedStyle(text).opacity) > 0)
      .map((text) => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([a, one], i) => texts.slice(i + 1).forEach(([b, other]) => {
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 2 && down > 4) found.push([svg.closest('[data-chart]').dataset.chart, a, b, across, down]);
    }));
  }
  return found;
}"""
