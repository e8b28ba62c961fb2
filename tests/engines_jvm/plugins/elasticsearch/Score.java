import com.o19s.es.ltr.feature.store.StoredFeature;
import com.o19s.es.ltr.feature.store.StoredFeatureSet;
import com.o19s.es.ltr.feature.store.StoredLtrModel;
import com.o19s.es.ltr.ranker.LtrRanker;
import com.o19s.es.ltr.ranker.parser.LinearRankerParser;
import com.o19s.es.ltr.ranker.parser.LtrRankerParserFactory;
import com.o19s.es.ltr.ranker.parser.XGBoostJsonParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentParserConfiguration;
import org.elasticsearch.xcontent.json.JsonXContent;

/** The plugin: a model compiled as on its creation; a feature without a value is one that is not set. */
final class Score {
  private Score() {}

  public static void main(String[] arguments) throws Exception {
    LtrRankerParserFactory parsers =
        new LtrRankerParserFactory.Builder()
            .register(LinearRankerParser.TYPE, LinearRankerParser::new)
            .register(XGBoostJsonParser.TYPE, XGBoostJsonParser::new)
            .build();
    Cases.run(arguments[0], (folder, names) -> model(parsers, folder, names));
  }

  private static Cases.Model model(LtrRankerParserFactory parsers, Path folder, List<String> names) throws Exception {
    List<StoredFeature> features = new ArrayList<>();
    for (String name : names) {
      features.add(new StoredFeature(name, List.of(), "mustache", "{\"match_all\": {}}"));
    }
    StoredLtrModel.LtrModelDefinition definition;
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(XContentParserConfiguration.EMPTY, Cases.read(folder, "model"))) {
      parser.nextToken();
      definition = StoredLtrModel.LtrModelDefinition.parse(parser, null);
    }
    StoredLtrModel stored = new StoredLtrModel("model", new StoredFeatureSet("set", features), definition);
    LtrRanker ranker = stored.compile(parsers).ranker();
    return row -> {
      LtrRanker.FeatureVector vector = ranker.newFeatureVector(null);
      for (int column = 0; column < row.length; column++) {
        if (!Float.isNaN(row[column])) {
          vector.setFeatureScore(column, row[column]);
        }
      }
      return ranker.score(vector);
    };
  }
}
