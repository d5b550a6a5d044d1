/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.freshet;

import com.google.common.collect.ImmutableMap;
import io.airlift.log.Logger;
import io.freshet.plugin.FreshetPlugin;
import io.trino.Session;
import io.trino.plugin.iceberg.IcebergPlugin;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static io.trino.testing.TestingSession.testSessionBuilder;

/**
 * A Trino of several nodes with catalog {@code lake}: connector {@code freshet} on a JDBC catalog in SQLite and local files.
 * Schema {@code s} exists. The Iceberg plugin is loaded beside, as in every distribution.
 */
public final class FreshetQueryRunner
{
    public static final String CATALOG = "lake";
    public static final String SCHEMA = "s";

    private FreshetQueryRunner() {}

    public static Builder builder()
    {
        return new Builder();
    }

    public static final class Builder
            extends DistributedQueryRunner.Builder<Builder>
    {
        private final Map<String, String> catalogProperties = new HashMap<>();
        private String connectorName = "freshet";
        private boolean fileMetastore;
        private boolean icebergPlugin = true;

        private Builder()
        {
            super(testSessionBuilder()
                    .setCatalog(CATALOG)
                    .setSchema(SCHEMA)
                    .build());
            setWorkerCount(1);
        }

        public Builder addCatalogProperty(String name, String value)
        {
            catalogProperties.put(name, value);
            return self();
        }

        /** For comparison: {@code iceberg}. */
        public Builder setConnectorName(String connectorName)
        {
            this.connectorName = connectorName;
            return self();
        }

        /** A catalog in which the Iceberg connector has materialized views of its own. */
        public Builder withFileMetastore()
        {
            fileMetastore = true;
            return self();
        }

        /** As no distribution is, but a server of one's own making may be. */
        public Builder withoutIcebergPlugin()
        {
            icebergPlugin = false;
            return self();
        }

        @Override
        public DistributedQueryRunner build()
                throws Exception
        {
            DistributedQueryRunner queryRunner = super.build();
            try {
                queryRunner.installPlugin(new TpchPlugin());
                queryRunner.createCatalog("tpch", "tpch");
                if (icebergPlugin) {
                    queryRunner.installPlugin(new IcebergPlugin());
                }
                queryRunner.installPlugin(new FreshetPlugin());

                Path data = Files.createDirectories(queryRunner.getCoordinator().getBaseDataDir().resolve("lake"));
                Path files = Files.createDirectories(data.resolve("files"));
                ImmutableMap.Builder<String, String> properties = ImmutableMap.<String, String>builder()
                        .put("fs.native-local.enabled", "true")
                        .put("local.location", files.toString());
                if (connectorName.equals("freshet")) {
                    // Tests change sources as other engines do, which do not ask
                    properties.put("freshet.allow-breaking-dependents", "true");
                }
                if (fileMetastore) {
                    properties.put("iceberg.catalog.type", "TESTING_FILE_METASTORE")
                            .put("hive.metastore.catalog.dir", "local:///metastore");
                }
                else {
                    properties.put("iceberg.catalog.type", "jdbc")
                            .put("iceberg.jdbc-catalog.driver-class", "org.sqlite.JDBC")
                            .put("iceberg.jdbc-catalog.connection-url", SqliteCatalog.create(data.resolve("catalog.db")))
                            .put("iceberg.jdbc-catalog.catalog-name", CATALOG)
                            .put("iceberg.jdbc-catalog.default-warehouse-dir", "local:///warehouse");
                }
                properties.putAll(catalogProperties);
                queryRunner.createCatalog(CATALOG, connectorName, properties.buildKeepingLast());
                queryRunner.execute("CREATE SCHEMA IF NOT EXISTS " + CATALOG + "." + SCHEMA);
                return queryRunner;
            }
            catch (Exception e) {
                queryRunner.close();
                throw e;
            }
        }
    }

    /** A server to play with. */
    public static void main(String[] args)
            throws Exception
    {
        DistributedQueryRunner queryRunner = builder()
                .addCoordinatorProperty("http-server.http.port", "8080")
                .build();
        Session session = queryRunner.getDefaultSession();
        Logger.get(FreshetQueryRunner.class).info("SERVER STARTED %s, catalog %s, schema %s", queryRunner.getCoordinator().getBaseUrl(), session.getCatalog().orElseThrow(), session.getSchema().orElseThrow());
    }
}
