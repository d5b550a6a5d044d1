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
package io.freshet.engine.plan;

import io.freshet.engine.Refusal;

import static java.util.Objects.requireNonNull;

/**
 * Why a refresh is done as it is.
 *
 * @param code the name of a {@link PlanReasonCode}, of a {@link io.freshet.engine.RefusalCode}, or of a
 *         {@link io.freshet.staleness.ChangeReason}
 * @param detail for people; empty if the code says all
 * @param line line in the text of the view, from 1; 0 if there is no place
 * @param column column in that line, from 1; 0 if there is no place
 */
public record PlanReason(String code, String detail, int line, int column)
{
    public PlanReason
    {
        requireNonNull(code, "code is null");
        requireNonNull(detail, "detail is null");
    }

    public static PlanReason of(PlanReasonCode code, String detail)
    {
        return new PlanReason(code.name(), detail, 0, 0);
    }

    public static PlanReason of(Refusal refusal)
    {
        return new PlanReason(refusal.code().name(), refusal.detail(), refusal.line(), refusal.column());
    }

    /** The detail with its code. */
    public String message()
    {
        return detail.isEmpty() ? code : detail + " (" + code + ")";
    }
}
