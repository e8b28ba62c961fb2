import ai.vespa.rankingexpression.importer.xgboost.XGBoostImporter;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.DoubleValue;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
import java.nio.file.Files;
import java.nio.file.Path;

/** Vespa: model.json by its importer of XGBoost's trees, else the expression of the rank profile. */
final class Score {
  private Score() {}

  public static void main(String[] arguments) throws Exception {
    Cases.run(
        arguments[0],
        (folder, names) -> {
          RankingExpression expression = expression(folder);
          return row -> {
            MapContext context = new MapContext();
            for (int column = 0; column < row.length; column++) {
              context.put(names.get(column), new DoubleValue(row[column]));
            }
            return expression.evaluate(context).asDouble();
          };
        });
  }

  private static RankingExpression expression(Path folder) throws Exception {
    Path trees = folder.resolve("model.json");
    if (Files.exists(trees)) {
      XGBoostImporter importer = new XGBoostImporter();
      if (!importer.canImport(trees.toString())) {
        throw new IllegalStateException("Vespa does not take " + trees);
      }
      return importer.importModel("model", trees.toString()).expressions().values().iterator().next();
    }
    return new RankingExpression(Cases.read(folder, "expression"));
  }
}
