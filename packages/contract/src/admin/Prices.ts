import * as Schema from "effect/Schema"
import { Amount, Flag, Text, TextOrNull, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"
import { bodyLimits } from "../Operation.ts"
import { Note } from "./Terms.ts"

export const PriceLine = Schema.Struct({
  operation: Schema.String,
  category: Schema.String,
  model: TextOrNull("`null`: the price does not depend on a model."),
  contract: Schema.String,
  words: Text("`$0.05 / 1M tokens`."),
  config: Schema.Unknown.annotate({
    description:
      "The same price as the section `prices` of the configuration file has it: for the operation, or for the model in `models`. " +
      "`null`: it has no price yet, or the section does not hold it."
  }),
  upstreams: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description:
      "Where calls at this price go, in the order of their route. Empty: no route leads there. `null`: it is the price of a " +
      "pattern of names, or the gateway answers the operation itself."
  })
}).annotate({ identifier: "PriceLine" })
export interface PriceLine extends Schema.Schema.Type<typeof PriceLine> {}

export const PriceList = Schema.Struct({ prices: Schema.Array(PriceLine) })
export interface PriceList extends Schema.Schema.Type<typeof PriceList> {}

const sums = {
  calls: Schema.Int,
  not_computable: Schema.Int.annotate({
    description: "Calls whose new price cannot be computed from the records. The amounts below leave them out."
  }),
  value_before_micros_usd: Amount,
  value_after_micros_usd: Amount,
  charged_before_micros_usd: Amount,
  charged_after_micros_usd: Amount
}

const Shown = Schema.NullOr(Schema.Struct({ words: Schema.String, config: Schema.Unknown }))

/** A price that another section `prices` changes. */
export const PriceChange = Schema.Struct({
  operation: Schema.String,
  model: Schema.NullOr(Schema.String),
  before: Shown.annotate({ description: "`null`: there is no such price now." }),
  after: Shown.annotate({ description: "`null`: there is no such price any more." })
}).annotate({ identifier: "PriceChange" })
export interface PriceChange extends Schema.Schema.Type<typeof PriceChange> {}

const differences = {
  changed: Schema.Int.annotate({ description: "How many prices differ from the current ones." }),
  changes: Schema.Array(PriceChange).annotate({ description: "These prices, 1,000 at most." })
}

/** What other prices would have changed, for the calls of one operation and model. */
export const PricePreviewLine = Schema.Struct({
  operation: Schema.String,
  model: Schema.NullOr(Schema.String),
  ...sums
}).annotate({ identifier: "PricePreviewLine" })
export interface PricePreviewLine extends Schema.Schema.Type<typeof PricePreviewLine> {}

const UnixSeconds = Schema.optionalKey(
  Schema.Int.annotate({ description: "Unix seconds; at most 7 days. Default: the last 24 hours." })
)

export const PricePreviewRequest = Schema.Struct({
  prices: Schema.Unknown.annotate({ description: "The section `prices` of the configuration file." }),
  start_time: UnixSeconds,
  end_time: UnixSeconds
})
export interface PricePreviewRequest extends Schema.Schema.Type<typeof PricePreviewRequest> {}

/** What these prices would have made of the calls that ended in the window. */
export const PricePreview = Schema.Struct({
  start_time: Schema.Int,
  end_time: Schema.Int,
  complete: Flag("`false`: one preview cannot read all calls, so the rest is left out."),
  lines: Schema.Array(PricePreviewLine),
  totals: Schema.Struct(sums),
  ...differences
}).annotate({ identifier: "PricePreview" })
export interface PricePreview extends Schema.Schema.Type<typeof PricePreview> {}

/** The section `prices` in the file, and whether the gateway may change it there. */
export const PriceFile = Schema.Struct({
  section: Schema.Unknown.annotate({ description: "As the file has it. Without a section or a file: `{}`." }),
  fingerprint: TextOrNull("Identifies the text of the whole file. `null`: there is no file that can be read."),
  refusal: TextOrNull("Why the gateway cannot write the file. `null`: it can.")
}).annotate({ identifier: "PriceFile" })
export interface PriceFile extends Schema.Schema.Type<typeof PriceFile> {}

export const ApplyPrices = Schema.Struct({
  prices: Schema.Unknown.annotate({ description: "The whole new section `prices`." }),
  fingerprint: Text(
    "That of the file from which the section was made. If the file has changed since, the answer is 409."
  ),
  note: Schema.optionalKey(Note.annotate({ description: "Who you are, or why. It is recorded." }))
})
export interface ApplyPrices extends Schema.Schema.Type<typeof ApplyPrices> {}

export const AppliedPrices = Schema.Struct({
  fingerprint: Text("That of the file as it is now."),
  ...differences
}).annotate({ identifier: "AppliedPrices" })
export interface AppliedPrices extends Schema.Schema.Type<typeof AppliedPrices> {}

/** Something that calls used and that has no price. */
export const Gap = Schema.Struct({
  operation: Schema.String,
  model: Schema.NullOr(Schema.String),
  name: Text(
    "What a price would be added for, as in the model's entry: `tiers.flex`, `tools.web_search`, `audioInput`; or the field that nobody knows: `usage.dream_tokens`."
  ),
  calls: Schema.Int,
  charged_micros_usd: Amount.annotate({ description: "What the calls were charged in all." }),
  first_at: Time,
  last_at: Time,
  example: Text("The request id of one of the calls.")
}).annotate({ identifier: "Gap" })
export interface Gap extends Schema.Schema.Type<typeof Gap> {}

export const Gaps = Schema.Struct({ gaps: Schema.Array(Gap) })
export interface Gaps extends Schema.Schema.Type<typeof Gaps> {}

export const prices = {
  prices: Api.get("/prices", { summary: "The current prices", success: PriceList }),
  gaps: Api.get("/gaps", { summary: "What calls of the last 30 days used without a price", success: Gaps }),
  previewPrices: Api.post("/prices/preview", {
    summary: "Tries other prices on past calls. Changes nothing",
    role: Api.everybody,
    body: PricePreviewRequest,
    success: PricePreview,
    replay: "free",
    bodyLimit: bodyLimits.data,
    example: { body: { prices: { operations: { rerank: { perMillion: "0.08" } } } } }
  }),
  priceFile: Api.get("/prices/file", {
    summary: "The section `prices` of the configuration file, and whether it can be written",
    success: PriceFile
  }),
  applyPrices: Api.post("/prices/apply", {
    summary: "Writes the section `prices` into the configuration file and reloads it",
    role: ["finance"],
    description: "Needs `TOLLGATE_CONFIG_WRITE=on`. If the reload refuses the file, the old one is put back.",
    body: ApplyPrices,
    success: AppliedPrices,
    conflicts: true,
    bodyLimit: bodyLimits.data,
    example: { body: { prices: {}, fingerprint: "0".repeat(64) } }
  })
} as const
