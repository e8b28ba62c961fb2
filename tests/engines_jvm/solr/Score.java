import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.common.util.Utils;
import org.apache.solr.core.SolrResourceLoader;
import org.apache.solr.ltr.feature.Feature;
import org.apache.solr.ltr.model.LTRScoringModel;
import org.apache.solr.ltr.store.rest.ManagedFeatureStore;
import org.apache.solr.ltr.store.rest.ManagedModelStore;
import org.apache.solr.rest.ManagedResourceStorage;

/** Solr: features and models as its stores read them; a feature without a value has its default. */
final class Score {
  private Score() {}

  public static void main(String[] arguments) throws Exception {
    SolrResourceLoader loader = new SolrResourceLoader(Path.of(arguments[0]));
    Cases.run(arguments[0], (folder, names) -> model(loader, folder, names));
  }

  @SuppressWarnings("unchecked")
  private static Cases.Model model(SolrResourceLoader loader, Path folder, List<String> names) throws Exception {
    ManagedResourceStorage.StorageIO memory = new ManagedResourceStorage.InMemoryStorageIO();
    memory.configure(loader, new NamedList<>());
    ManagedFeatureStore store = new ManagedFeatureStore("/schema/feature-store", loader, memory);
    for (Object feature : (List<Object>) json(folder, "features.json")) {
      Map<String, Object> map = (Map<String, Object>) feature;
      store.addFeature(map, (String) map.get("store"));
    }
    Map<String, Object> content = (Map<String, Object>) json(folder, "model.json");
    LTRScoringModel model = ManagedModelStore.fromLTRScoringModelMap(loader, content, store);
    List<Integer> columns = new ArrayList<>();
    for (Feature feature : model.getFeatures()) {
      columns.add(names.indexOf(feature.getName()));
    }
    return row -> {
      float[] values = new float[columns.size()];
      for (int place = 0; place < values.length; place++) {
        float value = row[columns.get(place)];
        values[place] = Float.isNaN(value) ? model.getFeatures().get(place).getDefaultValue() : value;
      }
      model.normalizeFeaturesInPlace(values);
      return model.score(values);
    };
  }

  private static Object json(Path folder, String name) throws Exception {
    return Utils.fromJSON(Cases.read(folder, name).getBytes(StandardCharsets.UTF_8));
  }
}
