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
 * From the SQL of a materialized view to what can be said of it without running anything: which relations it reads, whether its
 * result depends on more than their rows, whether and how it is maintained from changes, and which hidden columns that needs.
 * Values and pure functions only. Knows nothing of the connector SPI, Iceberg, clocks, threads or I/O; of Trino only the parser.
 */
package io.freshet.engine;
