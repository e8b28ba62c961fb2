"""Reports: results -> one summary dict -> HTML, Markdown, JSON; charts."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "load_results": "leanrank.report.loading",
        "summarize": "leanrank.report._summary",
        "summarize_shadow": "leanrank.report.shadow_tables",
        "write_charts": "leanrank.report.chart_files",
        "write_report": "leanrank.report.writing",
    },
)
