import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import * as Struct from "effect/Struct"
import { formatShare, inWords } from "../Amount.ts"
import type { NanoUsd } from "../../Money.ts"
import { type DetailKind, detailNames, details, eachKind, kindNames, kinds, type TokenKind } from "../TokenKind.ts"
import { Factor, ModelName, text, Usd, wholeNumber } from "../priceSchemas.ts"
import {
  tierIn,
  type LongPrompt,
  type ModelPrice,
  type Modifier,
  type Period,
  type Rates,
  type ToolPrice
} from "./modelRates.ts"

type LikeInput = { [K in TokenKind]: (typeof kinds)[K]["isLikeInput"] extends true ? K : never }[TokenKind]

const likeInput = kindNames.filter((kind): kind is LikeInput => kinds[kind].isLikeInput)

type RateName = TokenKind | DetailKind

const rateNames: ReadonlyArray<RateName> = [...kindNames, ...detailNames]
const described = { ...kinds, ...details }

/** What `of` makes of those rates that are set. */
const eachRate = <A>(
  rates: Readonly<Partial<Record<RateName, NanoUsd>>>,
  names: ReadonlyArray<RateName>,
  of: (rate: NanoUsd, name: RateName) => A
): ReadonlyArray<A> =>
  names.flatMap((name) => {
    const rate = rates[name]
    return rate === undefined ? [] : [of(rate, name)]
  })

const rateInWords = (rate: NanoUsd, name: RateName): string => `${inWords(rate)} / 1M ${described[name].words}`

const ratesInWords = (rates: Rates, hasOutput: boolean): string => {
  if (!hasOutput) return rateInWords(rates.input, "input")
  const both = `${inWords(rates.input)} in, ${inWords(rates.output)} out / 1M tokens`
  const unlikeInput = likeInput.filter((kind) => rates[kind] !== rates.input)
  const others = eachRate(rates, [...unlikeInput, ...detailNames], rateInWords)
  return others.length === 0 ? both : `${both}, with ${others.join(" and ")}`
}

const modifierInWords = (modifier: Modifier): string => {
  if (typeof modifier === "bigint") return `${formatShare(modifier)} times that`
  return eachRate(modifier, rateNames, rateInWords).join(" and ")
}

const toolInWords = ({ amount, perCall }: ToolPrice, names: string): string =>
  `${inWords(amount)} ${perCall === true ? `for a call that uses ${names}` : `for each use of ${names}`}`

/** What has the same words but for its name is said once, with all the names. */
const grouped = <A>(
  record: Readonly<Record<string, A>> | undefined,
  words: (value: A, names: string) => string
): ReadonlyArray<string> => {
  const groups = new Map<string, { readonly value: A; readonly names: Array<string> }>()
  for (const [name, value] of Object.entries(record ?? {})) {
    const key = words(value, "")
    const group = groups.get(key) ?? { value, names: [] }
    group.names.push(name)
    groups.set(key, group)
  }
  return [...groups.values()].map(({ names, value }) => words(value, names.join(" or ")))
}

const servedInWords = (how: string) => (modifier: Modifier, names: string) =>
  `${how} ${names}, ${modifierInWords(modifier)}`

const periodInWords = ({ days, from, hours, rates, until }: Period): string => {
  const when = [
    ...(from === undefined ? [] : [`from ${writtenDay(from)}`]),
    ...(until === undefined ? [] : [`until ${writtenDay(until)}`]),
    ...(days === undefined ? [] : [`on ${days.map((day) => weekdays[day]).join(", ")}`]),
    ...(hours === undefined ? [] : [`at ${hours.map(writtenSpan).join(", ")} UTC`])
  ]
  return `${when.length === 0 ? "always" : when.join(" ")}, ${modifierInWords(rates)}`
}

/** What else the price of a call depends on, a clause each. */
export const dimensionsInWords = ({ periods, regions, speeds, tiers, tools }: ModelPrice): ReadonlyArray<string> => [
  ...grouped(tiers, servedInWords("served as")),
  ...grouped(speeds, servedInWords("at the speed")),
  ...grouped(regions, servedInWords("in the region")),
  ...grouped(tools, toolInWords),
  ...(periods ?? []).map(periodInWords)
]

export const modelInWords = (model: ModelPrice, hasOutput = true): string => {
  const { longPrompt } = model
  const long =
    longPrompt === undefined
      ? []
      : [
          `if the prompt has more than ${longPrompt.above} tokens, ${ratesInWords(longPrompt, hasOutput)} for the whole call`
        ]
  return [ratesInWords(model, hasOutput), ...long, ...dimensionsInWords(model)].join("; ")
}

const count = (description: string) => wholeNumber(100_000_000).annotate({ description })
const tokens = (description: string) => Schema.optionalKey(count(description))
const optionalKinds = eachKind(() => Schema.optionalKey(Usd))
const optionalDetails = Object.fromEntries(detailNames.map((name) => [name, Schema.optionalKey(Usd)]))
const optionalRates = { ...optionalKinds, ...(optionalDetails as Record<DetailKind, Schema.optionalKey<typeof Usd>>) }

const LongPromptSection = Schema.Struct({
  above: count("A prompt with more tokens than this is long; those read from a cache and written to it count too"),
  ...optionalRates
}).annotate({ description: "The prices of the whole call if its prompt is long; one that is left out stays the same" })

const RatesSection = Schema.Struct(optionalRates)

const SomeRates = RatesSection.check(
  Schema.makeFilter((rates) => Object.keys(rates).length > 0, { expected: "at least one price" })
)

const ModifierSection = Schema.Union([Factor, SomeRates]).annotate({
  expected: 'a factor in quotes, such as "0.5", or prices such as { "input": "2" }'
})

/** A tier, speed, region or tool, as providers name it. */
const Name = text(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/u, "the provider's name for it")

/** Requests and reports name tiers, speeds and regions in any case. */
const inLowerCase = <A>(record: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]))

const modifiers = (description: string) =>
  Schema.optionalKey(
    Schema.Record(Name, ModifierSection)
      .annotate({ description })
      .pipe(Schema.decode({ decode: Getter.transform(inLowerCase), encode: Getter.passthrough() }))
  )

const isTool = (u: unknown): u is ToolPrice => typeof u === "object" && u !== null && "amount" in u

const ToolSection = Schema.Union([Usd, Schema.Struct({ perCall: Usd })])
  .annotate({ expected: 'an amount of USD for each use, such as "0.01", or { "perCall": … }' })
  .pipe(
    Schema.decodeTo(Schema.declare(isTool), {
      decode: Getter.transform((tool): ToolPrice =>
        typeof tool === "bigint" ? { amount: tool } : { amount: tool.perCall, perCall: true }
      ),
      encode: Getter.transform(({ amount, perCall }) => (perCall === true ? { perCall: amount } : amount))
    })
  )

const dayOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
const writtenDay = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
const dayExpected = 'a day such as "2026-12-01"'
const Day = text(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u, dayExpected)
  .check(
    // The 31st of February would be read as a day of March.
    Schema.makeFilter((day: string) => !(dayOf(day) >= 0) || writtenDay(dayOf(day)) === day, {
      expected: "a day that the month has"
    })
  )
  .pipe(Schema.decodeTo(Schema.Number, { decode: Getter.transform(dayOf), encode: Getter.transform(writtenDay) }))

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
const time = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
const writtenSpan = ([start, end]: readonly [number, number]): string => `${time(start)}-${time(end)}`
const Hours = text(
  /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/u,
  'a span of the day in UTC such as "01:00-04:00"'
)
  .check(
    Schema.makeFilter((span: string) => span.length !== 11 || span.slice(0, 5) !== span.slice(6), {
      expected: 'a span that is not empty; leave "hours" out for the whole day'
    })
  )
  .pipe(
    Schema.decodeTo(Schema.Tuple([Schema.Number, Schema.Number]), {
      decode: Getter.transform((span: string) => [minutes(span), minutes(span.slice(6))] as const),
      encode: Getter.transform(writtenSpan)
    })
  )
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const Weekday = Schema.Literals(weekdays).pipe(
  Schema.decodeTo(Schema.Number, {
    decode: Getter.transform((day) => weekdays.indexOf(day)),
    encode: Getter.transform((day) => weekdays[day] ?? weekdays[0])
  })
)

const PeriodSection = Schema.Struct({
  from: Schema.optionalKey(Day),
  until: Schema.optionalKey(Day),
  hours: Schema.optionalKey(Schema.Array(Hours)),
  days: Schema.optionalKey(Schema.Array(Weekday)),
  rates: ModifierSection
})
  .check(
    Schema.makeFilter(({ from = 0, until = Infinity }) => from < until, {
      expected: 'an "until" after "from"'
    })
  )
  .annotate({
    description:
      "Other prices from a day on, until a day (which is not part of it), at hours or on days of the week, in UTC"
  })

/** A model's price, as it is written in a configuration file and in a price list. */
export const ModelSection = Schema.Struct({
  ...optionalRates,
  input: Usd,
  output: Usd,
  longPrompt: Schema.optionalKey(LongPromptSection),
  tiers: modifiers("By the tier that served the call"),
  defaultTier: Schema.optionalKey(
    Name.pipe(Schema.decode({ decode: Getter.toLowerCase(), encode: Getter.passthrough() }))
  ),
  speeds: modifiers("By the speed that served the call"),
  regions: modifiers("By the region that served the call"),
  tools: Schema.optionalKey(Schema.Record(Name, ToolSection)).annotate({
    description: "USD for each use of a tool that the provider runs"
  }),
  periods: Schema.optionalKey(Schema.Array(PeriodSection)),
  thinks: Schema.optionalKey(Schema.Boolean),
  maxOutput: tokens("The most tokens of an answer; 4096 is assumed if it is not set"),
  contextWindow: tokens(
    "The most tokens of input and output together; if it is not set, there is no bound, and what is read by address counts as 1050000"
  ),
  imageTokens: tokens("The most tokens of an image; 2000 if it is not set")
})
  .check(
    Schema.makeFilter(
      ({ defaultTier, tiers = {} }) => defaultTier === undefined || tierIn(tiers, defaultTier) !== undefined,
      { expected: 'a "defaultTier" that has a price in "tiers"' }
    )
  )
  .annotate({ description: "USD per million tokens; cacheRead and cacheWrite default to the price of input" })

const detailsIn = (rates: typeof RatesSection.Type) =>
  Object.fromEntries(eachRate(rates, detailNames, (rate, detail) => [detail, rate]))

/** What is not written is as for other prompts: there, a rate that is not written is that of input. */
const longPromptOf = (model: typeof ModelSection.Type, long: typeof LongPromptSection.Type): LongPrompt => {
  const input = long.input ?? model.input
  return {
    above: long.above,
    ...eachKind((kind) => long[kind] ?? model[kind] ?? input),
    ...detailsIn(model),
    ...detailsIn(long)
  }
}

const modelOf = ({ longPrompt, ...model }: typeof ModelSection.Type): ModelPrice => ({
  ...model,
  ...eachKind((kind) => model[kind] ?? model.input),
  ...(longPrompt === undefined ? {} : { longPrompt: longPromptOf(model, longPrompt) })
})

const isModelPrice = (u: unknown): u is ModelPrice => typeof u === "object" && u !== null && "input" in u

export const Models = Schema.Record(
  ModelName,
  ModelSection.pipe(
    Schema.decodeTo(Schema.declare(isModelPrice), {
      decode: Getter.transform(modelOf),
      encode: Getter.forbiddenEncoding
    })
  )
)

/** Without rates that are implied: one that is left out is that of `shorter` prompts, or else that of input. */
const stated = <R extends Rates>(rates: R, shorter: Rates): Omit<R, LikeInput> =>
  Struct.omit(
    rates,
    likeInput.filter((kind) => rates[kind] === rates.input && shorter[kind] === shorter.input)
  )

const encodeModel = Schema.encodeSync(ModelSection)

/** A model's price, as the configuration file has it. */
export const writtenModel = ({ longPrompt, ...model }: ModelPrice): Readonly<Record<string, unknown>> =>
  encodeModel({
    ...stated(
      model,
      eachKind(() => model.input)
    ),
    ...(longPrompt === undefined ? {} : { longPrompt: stated(longPrompt, model) })
  })
