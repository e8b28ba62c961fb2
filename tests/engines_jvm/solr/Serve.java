import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.util.Utils;
import org.apache.solr.core.SolrCore;
import org.apache.solr.ltr.store.rest.ManagedFeatureStore;
import org.apache.solr.ltr.store.rest.ManagedModelStore;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.servlet.SolrRequestParsers;

/** A whole Solr in this process: documents in, features and a model uploaded, queries answered as JSON. */
final class Serve {
  private Serve() {}

  public static void main(String[] arguments) {
    try {
      for (String home : arguments) {
        serve(Path.of(home));
      }
    } catch (Throwable error) {
      error.printStackTrace();
      System.exit(1); // threads of a Solr that did not come up would keep the process alive
    }
    System.exit(0);
  }

  @SuppressWarnings("unchecked")
  private static void serve(Path home) throws Exception {
    try (EmbeddedSolrServer server = new EmbeddedSolrServer(home, "shop")) {
      for (Object row : (List<Object>) json(home, "documents.json")) {
        SolrInputDocument document = new SolrInputDocument();
        ((Map<String, Object>) row).forEach(document::addField);
        server.add(document);
      }
      server.commit();
      try (SolrCore core = server.getCoreContainer().getCore("shop")) {
        upload(core, home);
        List<String> queries = Files.readAllLines(home.resolve("queries.txt"));
        for (int number = 0; number < queries.size(); number++) {
          Files.writeString(home.resolve("response_" + number + ".json"), answer(core, queries.get(number)));
        }
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static void upload(SolrCore core, Path home) throws Exception {
    ManagedFeatureStore features = ManagedFeatureStore.getManagedFeatureStore(core);
    features.applyUpdatesToManagedData(json(home, "features.json"));
    if (Files.exists(home.resolve("model.json"))) {
      Object content = json(home, "model.json");
      for (Object model : content instanceof List ? (List<Object>) content : List.of(content)) {
        Map<String, Object> map = (Map<String, Object>) model;
        ManagedModelStore.getManagedModelStore(core)
            .addModel(ManagedModelStore.fromLTRScoringModelMap(core.getResourceLoader(), map, features));
      }
    }
  }

  private static String answer(SolrCore core, String parameters) throws Exception {
    SolrQueryResponse response = new SolrQueryResponse();
    try (SolrQueryRequest request = new LocalSolrQueryRequest(core, SolrRequestParsers.parseQueryString(parameters))) {
      SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
      try {
        core.execute(core.getRequestHandler("/select"), request, response);
        if (response.getException() != null) {
          throw response.getException();
        }
        StringWriter text = new StringWriter();
        core.getQueryResponseWriter("json").write(text, request, response);
        return text.toString();
      } finally {
        SolrRequestInfo.clearRequestInfo();
      }
    }
  }

  private static Object json(Path home, String name) throws Exception {
    return Utils.fromJSON(Files.readString(home.resolve(name)).getBytes(StandardCharsets.UTF_8));
  }
}
