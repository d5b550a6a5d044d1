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
package io.freshet.engine.render;

import io.freshet.engine.RelationName;
import io.freshet.engine.StateLayout;

import java.util.List;

import static io.freshet.engine.SqlNames.quote;

/**
 * Rows that are given to the backing table with the addresses of the stored rows that they replace or delete. Law: no address is
 * given twice by one statement.
 */
final class AddressedRows
{
    private static final String ADDRESS = "address";

    private AddressedRows() {}

    /** The address of a row of the backing table, which is mentioned by that alias, as column {@code address}. NULL if there is none. */
    static String readFrom(String backingAlias)
    {
        return quote(backingAlias) + "." + quote(StateLayout.ADDRESS_COLUMN) + " AS " + quote(ADDRESS);
    }

    /** The column that {@link #readFrom} made, of the relation of that alias. */
    static String address(String alias)
    {
        return quote(alias) + "." + quote(ADDRESS);
    }

    /**
     * A statement that adds the rows without an address, and puts the others in place of the rows at theirs.
     *
     * @param rows what stands after FROM
     * @param alias alias of the relation in it that has the column {@code address}
     */
    static String insert(RelationName table, List<TargetColumn> columns, List<String> values, String rows, String alias)
    {
        return insert(table, columns, values, "if(" + address(alias) + " IS NULL, 1, 0)", rows, alias);
    }

    /**
     * A statement that adds the groups without an address, puts the others in place of the rows at theirs, and deletes those rows
     * whose group has no row any more.
     *
     * @param exists SQL condition that the group is there; never NULL
     */
    static String insertGroups(RelationName table, List<TargetColumn> columns, List<String> values, String exists, String groups, String alias)
    {
        return insert(
                table,
                columns,
                values,
                "CASE WHEN NOT (" + exists + ") THEN -1 WHEN " + address(alias) + " IS NULL THEN 1 ELSE 0 END",
                groups,
                alias)
                + " WHERE " + address(alias) + " IS NOT NULL OR " + exists;
    }

    /**
     * @param change what is done with a row: 1, 0 or -1
     */
    static String insert(RelationName table, List<TargetColumn> columns, List<String> values, String change, String rows, String alias)
    {
        return "INSERT INTO " + table.toSql()
                + " (" + Target.names(columns) + ", " + quote(StateLayout.ADDRESS_COLUMN) + ", " + quote(StateLayout.CHANGE_COLUMN) + ")"
                + " SELECT " + String.join(", ", values) + ", " + address(alias) + ", CAST(" + change + " AS tinyint)"
                + " FROM " + rows;
    }
}
