import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../store/rows.ts"

/** The digest of each section of a configuration. A section that is not there has none. */
export type SectionDigests = Readonly<Record<string, string>>

const Digests = Schema.Record(Schema.String, Schema.String)

/** What the gateways on one store shall have. */
const FleetConfig = Schema.Struct({
  current: Digests,
  /** What they had before, and until when. */
  earlier: Schema.Array(Schema.Struct({ sections: Digests, until: Schema.Number }))
})
export interface FleetConfig extends Schema.Schema.Type<typeof FleetConfig> {}

const Stored = Schema.fromJsonString(FleetConfig)
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

/** How long a change may take until the last gateway has it. */
export const rollingMillis = 3_600_000

const name = "configuration"
const mostEarlier = 20

export interface Comparison {
  /** Sections that are neither those of the fleet nor those that are being replaced. */
  readonly differing: ReadonlyArray<string>
  /** Sections that the fleet has replaced within the last hour. */
  readonly behind: ReadonlyArray<string>
}

const agreed: Comparison = { differing: [], behind: [] }

export const compare = (mine: SectionDigests, fleet: FleetConfig | undefined, now: number): Comparison => {
  if (fleet === undefined) return agreed
  const { current, earlier } = fleet
  const recent = earlier.filter(({ until }) => now - until < rollingMillis).map(({ sections }) => sections)
  const names = [...new Set([mine, current].flatMap((sections) => Object.keys(sections)))].toSorted()
  const unlike = names.filter((name) => mine[name] !== current[name])
  const isBehind = (name: string) => recent.some((sections) => sections[name] === mine[name])
  return { differing: unlike.filter((name) => !isBehind(name)), behind: unlike.filter(isBehind) }
}

const isSame = (a: SectionDigests, b: SectionDigests): boolean =>
  [a, b].flatMap((sections) => Object.keys(sections)).every((name) => a[name] === b[name])

const isEmpty = (sections: SectionDigests): boolean => Object.keys(sections).length === 0

/** The configuration of the fleet, as a fact in the store. */
export const make = Effect.map(SqlClient, (sql) => {
  const { fact, lockName, setFact } = Rows.make(sql)

  const read: Effect.Effect<FleetConfig | undefined, SqlError> = Effect.map(fact(name), (value) =>
    value === undefined ? undefined : Option.getOrUndefined(decode(value))
  )

  /** Changes the fact unless it says the same already. */
  const change = (mine: SectionDigests, isWanted: (known: FleetConfig | undefined) => boolean) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* lockName("tollgate configuration")
        const known = yield* read
        if (!isWanted(known) || (known !== undefined && isSame(known.current, mine))) return
        const until = yield* Clock.currentTimeMillis
        const earlier = known === undefined ? [] : [{ sections: known.current, until }, ...known.earlier]
        yield* setFact(name, encode({ current: mine, earlier: earlier.slice(0, mostEarlier) }))
      })
    )

  return {
    read,
    /** The operator wants all gateways to have this. */
    adopt: (mine: SectionDigests) => change(mine, () => true),
    /**
     * A gateway starts. Its configuration becomes that of the fleet if there is none yet, or if it is the only gateway. An
     * empty one never replaces another: most likely somebody forgot to name the file.
     */
    join: (mine: SectionDigests, isAlone: boolean) =>
      change(mine, (known) => known === undefined || (!isEmpty(mine) && (isAlone || isEmpty(known.current))))
  }
})
