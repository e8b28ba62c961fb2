import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.search.SearchModule;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentParserConfiguration;
import org.elasticsearch.xcontent.json.JsonXContent;
import org.elasticsearch.xpack.core.ml.action.PutTrainedModelAction;
import org.elasticsearch.xpack.core.ml.inference.InferenceToXContentCompressor;
import org.elasticsearch.xpack.core.ml.inference.MlInferenceNamedXContentProvider;
import org.elasticsearch.xpack.core.ml.inference.TrainedModelConfig;
import org.elasticsearch.xpack.core.ml.inference.trainedmodel.InferenceConfig;
import org.elasticsearch.xpack.core.ml.inference.trainedmodel.RegressionConfig;
import org.elasticsearch.xpack.core.ml.inference.trainedmodel.inference.InferenceDefinition;
import org.elasticsearch.xpack.core.ml.ltr.MlLTRNamedXContentProvider;

/** Elasticsearch's own learning to rank: the body of PUT _ml/trained_models, validated, stored, loaded, inferred with. */
final class Score {
  private Score() {}

  public static void main(String[] arguments) throws Exception {
    List<NamedXContentRegistry.Entry> entries = new ArrayList<>();
    entries.addAll(new SearchModule(Settings.EMPTY, List.of()).getNamedXContents());
    entries.addAll(new MlInferenceNamedXContentProvider().getNamedXContentParsers());
    entries.addAll(new MlLTRNamedXContentProvider().getNamedXContentParsers());
    NamedXContentRegistry registry = new NamedXContentRegistry(entries);
    Cases.run(arguments[0], (folder, names) -> model(registry, folder, names));
  }

  private static Cases.Model model(NamedXContentRegistry registry, Path folder, List<String> names) throws Exception {
    TrainedModelConfig sent = put(registry, Cases.read(folder, "model.json"));
    InferenceConfig config = sent.getInferenceConfig();
    InferenceDefinition loaded =
        InferenceToXContentCompressor.inflate(
            sent.getCompressedDefinition(), InferenceDefinition::fromXContent, registry);
    // A search has no negative scores: a constant of the model is added to all of them.
    double shift = number(loaded, Map.of(), config) - number(loaded, Map.of(), RegressionConfig.EMPTY_PARAMS);
    return row -> {
      Map<String, Object> features = new HashMap<>();
      for (int column = 0; column < row.length; column++) {
        if (!Float.isNaN(row[column])) {
          features.put(names.get(column), row[column]);
        }
      }
      return number(loaded, features, config) - shift;
    };
  }

  /** What a master node does before it stores a model. */
  private static TrainedModelConfig put(NamedXContentRegistry registry, String body) throws Exception {
    XContentParserConfiguration reading = XContentParserConfiguration.EMPTY.withRegistry(registry);
    try (XContentParser parser = JsonXContent.jsonXContent.createParser(reading, body)) {
      PutTrainedModelAction.Request request = PutTrainedModelAction.Request.parseRequest("model", false, false, parser);
      if (request.validate() != null) {
        throw request.validate();
      }
      TrainedModelConfig sent = request.getTrainedModelConfig().ensureParsedDefinition(registry);
      sent.getModelDefinition().getTrainedModel().validate();
      return sent;
    }
  }

  private static double number(InferenceDefinition loaded, Map<String, Object> features, InferenceConfig config) {
    return ((Number) loaded.infer(new HashMap<>(features), config).predictedValue()).doubleValue();
  }
}
