import ciir.umass.edu.learning.SparseDataPoint;
import ciir.umass.edu.learning.Ranker;
import ciir.umass.edu.learning.RankerFactory;

/** RankLib: read as with its option -sparse, where a line may leave features out. */
final class Score {
  private Score() {}

  public static void main(String[] arguments) throws Exception {
    Cases.run(
        arguments[0],
        (folder, names) -> {
          Ranker ranker = new RankerFactory().loadRankerFromString(Cases.read(folder, "model"));
          return row -> {
            StringBuilder line = new StringBuilder("0 qid:1");
            for (int column = 0; column < row.length; column++) {
              if (!Float.isNaN(row[column])) {
                line.append(' ').append(column + 1).append(':').append(row[column]);
              }
            }
            return ranker.eval(new SparseDataPoint(line.toString()));
          };
        });
  }
}
