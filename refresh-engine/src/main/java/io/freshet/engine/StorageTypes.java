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

import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.DataType;
import io.trino.sql.tree.DataTypeParameter;
import io.trino.sql.tree.DateTimeDataType;
import io.trino.sql.tree.GenericDataType;
import io.trino.sql.tree.Node;
import io.trino.sql.tree.NumericParameter;
import io.trino.sql.tree.RowDataType;
import io.trino.sql.tree.TypeParameter;

import java.util.Optional;
import java.util.Set;

import static io.freshet.engine.SqlNames.quote;
import static java.util.Locale.ENGLISH;
import static java.util.stream.Collectors.joining;

/**
 * Which SQL type the Iceberg column of a materialized view has for each SQL type, as Trino chooses it, and what is lost by that.
 * Source: {@code AbstractTrinoCatalog.typeForMaterializedViewStorageTable} of trino-iceberg 483. Types are given as text, as the
 * engine shows them.
 */
public final class StorageTypes
{
    private static final Set<String> INTEGERS = Set.of("tinyint", "smallint", "integer", "int", "bigint");
    private static final Set<String> SIMPLE = Set.of("boolean", "integer", "int", "bigint", "real", "double", "date", "varbinary", "uuid");
    private static final int MICROSECONDS = 6;
    private static final int DEFAULT_PRECISION = 3;

    private StorageTypes() {}

    /** SQL type of the column; not regarding columns that the view is partitioned by in time. */
    public static String storageType(String type)
    {
        return parse(type).map(StorageTypes::storage).orElse(type);
    }

    /** Whether the column holds every value without loss, with the same equality and order. */
    public static boolean isFaithful(String type)
    {
        return parse(type).map(StorageTypes::faithful).orElse(false);
    }

    /** Whether the type is an array, a map or a row. */
    public static boolean isStructural(String type)
    {
        return parse(type)
                .map(parsed -> parsed instanceof RowDataType || parsed instanceof GenericDataType generic && Set.of("array", "map").contains(name(generic)))
                .orElse(false);
    }

    /** How stored rows are told apart by a column. */
    public enum RowEquality
    {
        /** By equalities that the engine joins by hash. */
        HASHED,
        /** By a condition on pairs of rows that other columns have brought together. */
        FILTERED,
        /** Not with certainty. */
        NONE,
    }

    /** How stored rows are told apart by a column of that storage type. Two values that are one here are the same for every query. */
    public static RowEquality rowEquality(String storageType)
    {
        return parse(storageType).map(type -> {
            if (type instanceof DateTimeDataType time && time.getType() == DateTimeDataType.Type.TIMESTAMP && precision(time) <= MICROSECONDS) {
                // the zone of a value is not stored
                return RowEquality.HASHED;
            }
            if (!faithful(type)) {
                return RowEquality.NONE;
            }
            if (!isStructural(storageType)) {
                return RowEquality.HASHED;
            }
            // the sign of a zero inside is not seen, and maps do not partition a window
            return holdsFloatingOrMap(type) ? RowEquality.NONE : RowEquality.FILTERED;
        }).orElse(RowEquality.NONE);
    }

    private static boolean holdsFloatingOrMap(Node type)
    {
        return type instanceof GenericDataType generic && (isFloating(name(generic)) || name(generic).equals("map"))
                || type.getChildren().stream().anyMatch(StorageTypes::holdsFloatingOrMap);
    }

    /** Whether the type has NaN. */
    public static boolean isFloating(String type)
    {
        return type.equalsIgnoreCase("real") || type.equalsIgnoreCase("double");
    }

    public static boolean isInteger(String type)
    {
        return INTEGERS.contains(type.toLowerCase(ENGLISH));
    }

    /** The scale, if the type is a decimal. */
    public static Optional<Integer> decimalScale(String type)
    {
        return parse(type)
                .filter(parsed -> parsed instanceof GenericDataType generic && name(generic).equals("decimal"))
                .map(parsed -> ((GenericDataType) parsed).getArguments())
                .map(arguments -> arguments.size() < 2 ? 0 : Math.toIntExact(((NumericParameter) arguments.get(1)).getParsedValue()));
    }

    /** Some value of a faithful type that is neither NULL nor NaN, as SQL. */
    public static String someValue(String type)
    {
        String base = type.toLowerCase(ENGLISH);
        if (base.equals("boolean")) {
            return "false";
        }
        if (base.startsWith("varchar")) {
            return "''";
        }
        if (base.equals("varbinary")) {
            return "X''";
        }
        if (base.equals("date")) {
            return "DATE '1970-01-01'";
        }
        if (base.startsWith("timestamp")) {
            return "CAST('1970-01-01 00:00:00' AS " + type + ")";
        }
        if (base.startsWith("time")) {
            return "CAST('00:00:00' AS " + type + ")";
        }
        if (base.equals("uuid")) {
            return "UUID '00000000-0000-0000-0000-000000000000'";
        }
        return "CAST(0 AS " + type + ")";
    }

    /** Whether the type, or a part of it, is a time of day, with or without a zone. A type that is not understood may be one. */
    public static boolean holdsTimeOfDay(String type)
    {
        return parse(type).map(StorageTypes::holdsTimeOfDay).orElse(true);
    }

    private static boolean holdsTimeOfDay(Node type)
    {
        return type instanceof DateTimeDataType time && time.getType() == DateTimeDataType.Type.TIME
                || type.getChildren().stream().anyMatch(StorageTypes::holdsTimeOfDay);
    }

    private static Optional<DataType> parse(String type)
    {
        try {
            return Optional.of(new SqlParser().createType(type));
        }
        catch (ParsingException e) {
            return Optional.empty();
        }
    }

    private static String name(GenericDataType type)
    {
        return type.getName().getValue().toLowerCase(ENGLISH);
    }

    private static String storage(DataType type)
    {
        return switch (type) {
            case RowDataType row -> "row(" + row.getFields().stream()
                    .map(field -> field.getName().map(name -> quote(name.getValue()) + " ").orElse("") + storage(field.getType()))
                    .collect(joining(", ")) + ")";
            case DateTimeDataType time -> storage(time);
            case GenericDataType generic -> storage(generic);
            default -> type.toString();
        };
    }

    private static String storage(GenericDataType type)
    {
        return switch (name(type)) {
            case "tinyint", "smallint", "int" -> "integer";
            case "varchar", "char", "number" -> "varchar";
            case "array", "map" -> name(type) + "(" + type.getArguments().stream().map(StorageTypes::storage).collect(joining(", ")) + ")";
            default -> type.getArguments().isEmpty() ? name(type) : name(type) + "(" + type.getArguments().stream()
                    .map(DataTypeParameter::toString)
                    .collect(joining(",")) + ")";
        };
    }

    private static String storage(DataTypeParameter parameter)
    {
        return parameter instanceof TypeParameter nested ? storage(nested.getValue()) : parameter.toString();
    }

    private static String storage(DateTimeDataType type)
    {
        if (type.isWithTimeZone() || precision(type) > MICROSECONDS) {
            return "varchar";
        }
        return switch (type.getType()) {
            case TIME -> "time(6)";
            case TIMESTAMP -> "timestamp(6)";
        };
    }

    private static int precision(DateTimeDataType type)
    {
        return type.getPrecision()
                .filter(NumericParameter.class::isInstance)
                .map(parameter -> Math.toIntExact(((NumericParameter) parameter).getParsedValue()))
                .orElse(DEFAULT_PRECISION);
    }

    private static boolean faithful(DataType type)
    {
        return switch (type) {
            case RowDataType row -> row.getFields().stream().allMatch(field -> field.getName().isPresent() && faithful(field.getType()));
            case DateTimeDataType time -> !time.isWithTimeZone() && precision(time) <= MICROSECONDS;
            case GenericDataType generic -> switch (name(generic)) {
                case "tinyint", "smallint", "varchar", "decimal" -> true;
                case "array", "map" -> generic.getArguments().stream()
                        .allMatch(parameter -> parameter instanceof TypeParameter nested && faithful(nested.getValue()));
                default -> SIMPLE.contains(name(generic));
            };
            default -> false;
        };
    }
}
