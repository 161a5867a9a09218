import { Bucket } from "../Bucket.ts"
import { KeyLimits } from "../KeyLimits.ts"
import type { Answer, GroupState, Rates } from "./Command.ts"

const groupsOf = ({ group }: Rates, { groupUsed, now }: Answer): Map<string, Bucket> =>
  new Map(group === undefined ? [] : [[group.id, Bucket.restore(group.rpm, now, groupUsed)]])

/** The limits as the store had them when it decided: what is told to the caller has the same rules as in memory. */
export const snapshot = (rates: Rates, answer: Answer, groups = groupsOf(rates, answer)): KeyLimits => {
  const { now, requestsUsed, running, tokensUsed } = answer
  return new KeyLimits({ ...rates, concurrency: 0 }, now, {
    requests: Bucket.restore(rates.rpm, now, requestsUsed),
    tokens: Bucket.restore(rates.tpm, now, tokensUsed),
    groups,
    running
  })
}

export const restoreGroups = (groups: ReadonlyArray<GroupState>): Map<string, Bucket> =>
  new Map(groups.map(({ at, id, limit, used }) => [id, Bucket.restore(limit, at, used)]))
