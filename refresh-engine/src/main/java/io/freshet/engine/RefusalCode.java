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

/**
 * Why a view is maintained by full refresh only. The names are codes that users see; they are listed on the supported-views page.
 */
public enum RefusalCode
{
    /** The query cannot be parsed by this version of the engine. */
    UNPARSABLE,
    /** A syntax element that is not on the list of maintained ones. */
    UNSUPPORTED_SYNTAX,
    /** A name that cannot be resolved to one visible column with certainty. */
    AMBIGUOUS_NAME,
    /** The query reads no table. */
    NO_SOURCE,
    /** A relation that does not exist. */
    MISSING_SOURCE,
    /** A table of another catalog, whose changes are not seen. */
    FOREIGN_SOURCE,
    /** A logical view. */
    LOGICAL_VIEW_SOURCE,
    /** A metadata table, such as {@code "t$files"}. */
    METADATA_TABLE_SOURCE,
    /** A table at a fixed version, time or branch. */
    TIME_TRAVEL_SOURCE,
    /** A hidden column, such as {@code "$path"}: it may change while the rows do not. */
    HIDDEN_COLUMN,
    /** A table function. */
    TABLE_FUNCTION,
    /** A join of a kind that is not maintained. */
    JOIN,
    /** An outer join whose condition equates nothing of one side with something of the other. */
    NON_EQUI_OUTER_JOIN,
    /** UNNEST or LATERAL. */
    UNNEST,
    /** A subquery in an expression that is neither IN nor EXISTS nor compared with, stands in another place than a condition of WHERE, or is not tied by an equation. */
    SUBQUERY,
    /** NOT IN, where a value of either side may be NULL: one NULL decides about all rows. */
    NULLABLE_NOT_IN,
    /** A constant relation. */
    VALUES,
    /** INTERSECT, EXCEPT, or a union in a place where it is not maintained. */
    SET_OPERATION,
    /** WITH RECURSIVE. */
    RECURSIVE_QUERY,
    /** MATCH_RECOGNIZE, PIVOT, JSON_TABLE and other relations of their own kind. */
    UNSUPPORTED_RELATION,
    /** A window function without PARTITION BY, or in a place where windows are not maintained. */
    WINDOW_FUNCTION,
    /** LIMIT, OFFSET or FETCH FIRST: removed rows would have to be refilled. */
    LIMIT,
    /** An ORDER BY that is more than a presentation of the result. */
    ORDER_BY,
    /** A total over all groups, as in ROLLUP or CUBE, of an aggregate that does not merge; a GROUPING() of no group key. */
    GROUPING_SETS,
    /** So many mentions of tables that the statement would exceed what the engine plans. */
    PROGRAM_TOO_LARGE,
    /** An aggregation below another query whose result is not exactly determined by its rows, such as a floating point sum. */
    NESTED_AGGREGATION,
    /** Without GROUP BY, an aggregate that needs all rows, such as array_agg. */
    NON_MERGEABLE_AGGREGATE,
    /** Without GROUP BY, an aggregate over distinct values. */
    DISTINCT_AGGREGATE,
    /** Without GROUP BY, an aggregate with ORDER BY, WITHIN GROUP or a null treatment. */
    ORDERED_AGGREGATE,
    /** A function that gives another result at each call, such as random(). */
    NONDETERMINISTIC_FUNCTION,
    /** A function or expression of the current time. */
    TIME_DEPENDENT_FUNCTION,
    /** A function or expression of the session's identity, such as current_user. */
    SESSION_DEPENDENT_FUNCTION,
    /** A function that is not on the list of deterministic ones, or that is named with a schema. */
    UNKNOWN_FUNCTION,
    /** A key of groups or partitions whose type has no faithful storage, or by which they cannot be looked up. */
    UNSUPPORTED_KEY_TYPE,
    /** Without GROUP BY, aggregate state whose type has no faithful, orderable storage. */
    UNSUPPORTED_STATE_TYPE,
    /** A column of a view of rows by which the rows to be removed cannot be found with certainty. */
    UNSUPPORTED_ROW_TYPE,
}
