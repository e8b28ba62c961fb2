import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Folders with a model and rows.csv; each gets scores.txt from an engine's own classes. */
final class Cases {
  interface Engine {
    /** Read what was exported into the folder. */
    Model load(Path folder, List<String> names) throws Exception;
  }

  interface Model {
    /** The score of a document; NaN is a feature without a value. */
    double score(float[] row) throws Exception;
  }

  private Cases() {}

  static void run(String root, Engine engine) throws Exception {
    List<Path> folders;
    try (Stream<Path> found = Files.list(Path.of(root))) {
      folders = found.filter(Files::isDirectory).sorted().collect(Collectors.toList());
    }
    for (Path folder : folders) {
      score(folder, engine);
    }
  }

  private static void score(Path folder, Engine engine) throws Exception {
    List<String> lines = Files.readAllLines(folder.resolve("rows.csv"));
    List<String> names = Arrays.asList(lines.get(0).split(","));
    Model model = engine.load(folder, names);
    List<String> scores = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      float[] row = new float[names.size()];
      for (int column = 0; column < row.length; column++) {
        row[column] = cells[column].isEmpty() ? Float.NaN : Float.parseFloat(cells[column]);
      }
      scores.add(Double.toString(model.score(row)));
    }
    Files.write(folder.resolve("scores.txt"), scores);
  }

  static String read(Path folder, String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }
}
