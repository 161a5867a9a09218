import { defaults, fill, Names } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as Schema from "effect/Schema"
import { OperationsFile, Schemas } from "./operations/Entry.ts"
import { CachedAnswersFile } from "./sections/cachedAnswers.ts"
import { OAuthFile } from "./sections/oauth.ts"
import { PaymentsFile } from "./sections/payments.ts"
import { OperatorsFile } from "./sections/operators.ts"
import { PlatformFile } from "./sections/platform.ts"
import { Prices } from "./sections/prices.ts"
import { Models, Routes } from "./sections/routes.ts"
import { SalesDataFile } from "./sections/salesData.ts"
import { UpstreamsFile } from "./sections/upstreams.ts"
import { WebhooksFile } from "./sections/webhooks.ts"
import { Credit, optional, whole, WebPath, wholeNumber } from "./text/values.ts"

/** As a browser sends it: no path, no slash at the end, and in lower case. */
const Origin = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[a-z0-9.:[\]-]+$/, { expected: "an origin such as https://inspector.example.com" })
)

const ToolsFile = Schema.Struct({
  /** Pages of these origins may call the tools, besides the gateway's own. */
  origins: optional(Schema.Array(Origin))
})

const allOptional = <F extends Schema.Struct.Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field)])) as {
    readonly [K in keyof F]: Schema.optionalKey<F[K]>
  }

const Binding = Schema.Struct({
  path: optional(WebPath),
  parameters: optional(Schema.Record(Schema.String, Schema.NonEmptyString)),
  otherParameters: optional(Schema.Boolean, "Query parameters that are not described are sent on too")
})

/** The sections of a configuration file. Operation ids depend on the names that the file sets. */
export const sections = (names: Names) => ({
  $schema: Schema.String,
  names: Schema.Struct(allOptional(Names.fields)),
  bindings: Schema.Struct(
    Object.fromEntries(operations.map(({ id }) => [fill(id, names), optional(Binding)] as const))
  ),
  prices: Prices(names),
  upstreams: UpstreamsFile(names),
  routes: Routes(names),
  models: Models,
  operations: OperationsFile,
  schemas: Schemas,
  cachedAnswers: CachedAnswersFile,
  platform: PlatformFile,
  payments: PaymentsFile,
  salesData: SalesDataFile,
  tools: ToolsFile,
  oauth: OAuthFile,
  operators: OperatorsFile,
  webhooks: WebhooksFile,
  limits: Schema.Struct({
    upstreamRpm: optional(wholeNumber(1_000_000)),
    reservationWaitSeconds: optional(whole("seconds", 0, 300))
  }),
  replayByDefault: Schema.Boolean,
  signupCredit: Credit,
  sandbox: Schema.Boolean
})

export type Sections = ReturnType<typeof sections>

/** Checks only the keys of the sections. */
export const Outline = Schema.Struct(
  Object.fromEntries(Object.keys(sections(defaults)).map((key) => [key, optional(Schema.Unknown)] as const))
)

/** For editors. The decoder checks more rules than a JSON Schema can express. */
export const jsonSchema = (names: Names): unknown => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.Struct(allOptional(sections(names))), {
    onExcessProperty: "error",
    generateDescriptions: true
  })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tollgate configuration",
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}
