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
package io.freshet.engine;

import io.freshet.engine.StorageTypes.RowEquality;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.freshet.engine.StorageTypes.isFaithful;
import static io.freshet.engine.StorageTypes.storageType;
import static org.assertj.core.api.Assertions.assertThat;

final class TestStorageTypes
{
    @Test
    void testIdentity()
    {
        for (String type : List.of("boolean", "integer", "bigint", "real", "double", "decimal(12,2)", "date", "time(6)", "timestamp(6)", "varchar", "varbinary", "uuid", "array(integer)")) {
            assertStored(type, type, true);
        }
    }

    @Test
    void testWidening()
    {
        assertStored("tinyint", "integer", true);
        assertStored("smallint", "integer", true);
        assertStored("varchar(3)", "varchar", true);
        assertStored("time(3)", "time(6)", true);
        assertStored("timestamp(0)", "timestamp(6)", true);
        assertStored("timestamp", "timestamp(6)", true);
        assertStored("array(smallint)", "array(integer)", true);
        assertStored("map(varchar(2), array(timestamp(3)))", "map(varchar, array(timestamp(6)))", true);
        assertStored("row(x tinyint, \"Y z\" varchar(4))", "row(\"x\" integer, \"Y z\" varchar)", true);
    }

    @Test
    void testUnfaithful()
    {
        assertStored("char(5)", "varchar", false);
        assertStored("number", "varchar", false);
        assertStored("time(9)", "varchar", false);
        assertStored("time(6) with time zone", "varchar", false);
        assertStored("timestamp(9)", "varchar", false);
        assertStored("timestamp(6) with time zone", "varchar", false);
        assertStored("array(char(5))", "array(varchar)", false);
        assertStored("row(x timestamp(3) with time zone)", "row(\"x\" varchar)", false);
        assertThat(isFaithful("json")).isFalse();
        assertThat(isFaithful("interval day to second")).isFalse();
        assertThat(isFaithful("interval year to month")).isFalse();
        assertThat(isFaithful("HyperLogLog")).isFalse();
        assertThat(isFaithful("no type (")).isFalse();
    }

    @Test
    void testKinds()
    {
        assertThat(StorageTypes.isStructural("array(integer)")).isTrue();
        assertThat(StorageTypes.isStructural("row(x integer)")).isTrue();
        assertThat(StorageTypes.isStructural("map(varchar, integer)")).isTrue();
        assertThat(StorageTypes.isStructural("varchar")).isFalse();
        assertThat(StorageTypes.decimalScale("decimal(38,10)")).hasValue(10);
        assertThat(StorageTypes.decimalScale("decimal(5)")).hasValue(0);
        assertThat(StorageTypes.decimalScale("bigint")).isEmpty();
        assertThat(StorageTypes.holdsTimeOfDay("time(3)")).isTrue();
        assertThat(StorageTypes.holdsTimeOfDay("row(a array(time(3) with time zone))")).isTrue();
        assertThat(StorageTypes.holdsTimeOfDay("timestamp(3) with time zone")).isFalse();
        assertThat(StorageTypes.holdsTimeOfDay("row(time integer)")).isFalse();
    }

    private static void assertStored(String type, String storage, boolean faithful)
    {
        assertThat(storageType(type)).isEqualTo(storage);
        assertThat(storageType(storage)).isEqualTo(storage);
        assertThat(isFaithful(type)).as(type).isEqualTo(faithful);
        ViewFixture.parses("SELECT CAST(NULL AS " + storage + "), " + StorageTypes.someValue(storage));
    }

    @Test
    void testRowEquality()
    {
        for (String type : List.of("boolean", "integer", "bigint", "real", "double", "decimal(10,2)", "date", "time(6)", "timestamp(6)", "timestamp(6) with time zone", "varchar", "varbinary", "uuid")) {
            assertThat(StorageTypes.rowEquality(type)).as(type).isEqualTo(RowEquality.HASHED);
        }
        for (String type : List.of("array(varchar)", "row(x integer, y array(date))")) {
            assertThat(StorageTypes.rowEquality(type)).as(type).isEqualTo(RowEquality.FILTERED);
        }
        for (String type : List.of("array(double)", "row(x real)", "row(x row(y double))", "map(varchar, integer)", "array(map(varchar, date))", "json", "variant", "time(6) with time zone", "timestamp(9)")) {
            assertThat(StorageTypes.rowEquality(type)).as(type).isEqualTo(RowEquality.NONE);
        }
    }
}
