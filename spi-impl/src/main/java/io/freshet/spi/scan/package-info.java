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
/**
 * The change scan: the table function {@code table_delta}, which the planner turns into a table scan, and the decorators of
 * the Iceberg connector that make this scan run. Each decorator answers for the handles of this package and forwards all
 * else. Knows nothing of materialized views: whoever may not read a table is stopped by the catalog that loads it.
 */
package io.freshet.spi.scan;
