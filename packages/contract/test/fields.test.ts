import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { defaultScopes } from "../src/operations/linkStart.ts"
import { CommentPage, CommentUser } from "../src/resources/Comments.ts"
import { FinancialSnapshot } from "../src/resources/FinancialSnapshot.ts"
import { LinkSession } from "../src/resources/LinkSession.ts"
import { RerankResult } from "../src/resources/RerankResult.ts"
import { ResellerEnvelope } from "../src/resources/ResellerEnvelope.ts"
import { TweetPage } from "../src/resources/Tweet.ts"
import { UsageReport } from "../src/resources/UsageReport.ts"
import { VideoTask } from "../src/resources/VideoTask.ts"

type Codec = Schema.Codec<unknown, unknown>

/** The types in the tables of the specification. */
type Leaf = "string" | "integer" | "number" | "boolean" | "any" | "object" | "status"
type Shape = Leaf | readonly [Shape] | { readonly [field: string]: Shape }

const all = <S extends Shape>(shape: S, names: string): Record<string, S> =>
  Object.fromEntries(names.split(/[\s,]+/).map((name) => [name, shape]))

const counters = all(
  "integer",
  "requests failed_requests input_tokens output_tokens cache_read_tokens cache_write_tokens usage_value_micros_usd charged_micros_usd"
)

const usageReport: Shape = {
  ...all("string", "scope currency bucket_width"),
  ...all("integer", "start_time end_time"),
  totals: counters,
  buckets: [{ ...counters, ...all("integer", "start_time end_time") }]
}

const task: Shape = {
  output: {
    ...all("string", "task_id video_url orig_prompt code message"),
    task_status: "status",
    ...all("string", "submit_time scheduled_time end_time")
  },
  usage: { output_video_duration: "number", ...all("integer", "video_count SR") },
  request_id: "string"
}

const rerankResult: Shape = {
  model: "string",
  results: [{ index: "integer", relevance_score: "number", document: { text: "string" } }],
  usage: { total_tokens: "integer" }
}

const comments: Shape = {
  success: "boolean",
  credits_remaining: "integer",
  cursor: "string",
  comments: [
    {
      ...all("string", "id text created_at"),
      ...all("integer", "comment_like_count child_comment_count"),
      user: {
        is_verified: "boolean",
        is_unpublished: "any",
        ...all("string", "id pk profile_pic_url username fbid_v2")
      }
    }
  ]
}

const reseller: Shape = {
  ...all("integer", "code time_stamp"),
  ...all(
    "string",
    "request_id message message_zh support time time_zone docs cache_message cache_message_zh cache_url router"
  ),
  params: "object",
  data: "any"
}

const tweets: Shape = {
  has_next_page: "boolean",
  ...all("string", "next_cursor status message"),
  tweets: [
    {
      ...all("string", "type id url text source createdAt lang"),
      ...all("integer", "retweetCount replyCount likeCount quoteCount viewCount bookmarkCount"),
      ...all("boolean", "isReply isLimitedReply"),
      ...all("string", "inReplyToId conversationId inReplyToUserId inReplyToUsername quoted_tweet retweeted_tweet"),
      displayTextRange: ["integer"],
      author: {
        ...all("string", "type userName url id name verifiedType profilePicture coverPicture description location"),
        ...all("string", "createdAt automatedBy message unavailableReason"),
        ...all(
          "boolean",
          "isBlueVerified canDm hasCustomTimelines isTranslator possiblySensitive isAutomated unavailable"
        ),
        ...all("integer", "followers following favouritesCount mediaCount statusesCount"),
        withheldInCountries: ["string"],
        pinnedTweetIds: ["string"]
      },
      entities: {
        hashtags: [{ indices: ["integer"], text: "string" }],
        urls: [{ ...all("string", "display_url expanded_url url"), indices: ["integer"] }],
        user_mentions: [all("string", "id_str name screen_name")]
      }
    }
  ]
}

const metrics = all(
  "number",
  `market_cap enterprise_value price_to_earnings_ratio price_to_book_ratio price_to_sales_ratio
   enterprise_value_to_ebitda_ratio enterprise_value_to_revenue_ratio free_cash_flow_yield peg_ratio gross_margin
   operating_margin net_margin return_on_equity return_on_assets return_on_invested_capital asset_turnover
   inventory_turnover receivables_turnover days_sales_outstanding operating_cycle working_capital_turnover current_ratio
   quick_ratio cash_ratio operating_cash_flow_ratio debt_to_equity debt_to_assets interest_coverage revenue_growth
   earnings_growth book_value_growth earnings_per_share_growth free_cash_flow_growth operating_income_growth
   ebitda_growth payout_ratio earnings_per_share book_value_per_share free_cash_flow_per_share`
)
const snapshot: Shape = { snapshot: { ticker: "string", ...metrics } }

const link: Shape = all("string", "auth_url state expires_at")

const right: Record<Leaf, unknown> = {
  string: "text",
  integer: 7,
  number: 0.5,
  boolean: true,
  any: null,
  object: { a: 1 },
  status: "RUNNING"
}
const wrong: Record<Leaf, ReadonlyArray<unknown>> = {
  string: [7, true, {}, []],
  integer: ["7", 7.5, true, {}, []],
  number: ["0.5", true, {}, []],
  boolean: ["true", 1, {}, []],
  any: [],
  object: ["text", 7, true],
  status: ["DONE", "running", "", 7]
}

const sample = (shape: Shape): unknown =>
  typeof shape === "string"
    ? right[shape]
    : Array.isArray(shape)
      ? [sample(shape[0])]
      : Object.fromEntries(Object.entries(shape).map(([field, inner]) => [field, sample(inner)]))

type Mutant = readonly [path: string, value: unknown]

/** Copies of the sample, each with one wrong value in one field. */
const mutants = (shape: Shape): ReadonlyArray<Mutant> => {
  if (typeof shape === "string") return wrong[shape].map((value) => ["", value] as const)
  if (Array.isArray(shape)) {
    return [["", "text"], ["", {}], ...mutants(shape[0]).map(([path, value]): Mutant => [`[]${path}`, [value]])]
  }
  const whole = sample(shape)
  return [
    ["", "text"],
    ["", 7],
    ...Object.entries(shape).flatMap(([field, inner]) =>
      mutants(inner).map(([path, value]): Mutant => [`.${field}${path}`, { ...Object(whole), [field]: value }])
    )
  ]
}

const fieldsIn = (shape: Shape): number =>
  typeof shape === "string"
    ? 0
    : Array.isArray(shape)
      ? fieldsIn(shape[0])
      : Object.values(shape).reduce<number>((sum, inner) => sum + 1 + fieldsIn(inner), 0)

const resources: ReadonlyArray<readonly [name: string, schema: Codec, shape: Shape, fields: number]> = [
  ["usage report", UsageReport, usageReport, 25],
  ["task", VideoTask, task, 15],
  ["rerank result", RerankResult, rerankResult, 8],
  ["comments", CommentPage, comments, 17],
  ["reseller envelope", ResellerEnvelope, reseller, 15],
  ["tweets", TweetPage, tweets, 69],
  ["financial snapshot", FinancialSnapshot, snapshot, 41],
  ["link session", LinkSession, link, 3]
]

describe.each(resources)("%s", (_, schema, shape, fields) => {
  const decode = Schema.decodeUnknownExit(schema)

  it("has every field of the specification", () => {
    assert.strictEqual(fieldsIn(shape), fields, "number of fields in the specification")
    const decoded = Schema.decodeUnknownSync(schema)(sample(shape))
    assert.deepStrictEqual(Schema.encodeUnknownSync(schema)(decoded), sample(shape))
  })

  it("rejects every field with a wrong type", () => {
    for (const [path, value] of mutants(shape)) {
      assert.isTrue(Exit.isFailure(decode(value)), `${path}: ${JSON.stringify(value)}`)
    }
  })
})

it("fields of any type are declared too", () => {
  const named = (schema: Codec) =>
    SchemaAST.isObjects(schema.ast) ? schema.ast.propertySignatures.map((property) => property.name) : []
  assert.include(named(CommentUser), "is_unpublished")
  assert.include(named(ResellerEnvelope), "data")
})

describe("a paid answer is accepted if a field is missing or null", () => {
  /** Copies of the sample, each with one field missing or null. */
  const lacking = (shape: Shape, keep: ReadonlyArray<string>, path = ""): ReadonlyArray<Mutant> => {
    if (typeof shape === "string") return []
    if (Array.isArray(shape)) return lacking(shape[0], keep, `${path}[]`).map(([at, value]) => [at, [value]])
    const whole = Object(sample(shape))
    return Object.entries(shape).flatMap(([field, inner]) => {
      const at = `${path}.${field}`
      const { [field]: _, ...without } = whole
      const own: ReadonlyArray<Mutant> = keep.includes(at)
        ? []
        : [
            [at, without],
            [at, { ...whole, [field]: null }]
          ]
      return [...own, ...lacking(inner, keep, at).map(([p, value]): Mutant => [p, { ...whole, [field]: value }])]
    })
  }

  it.each([
    ["comments", CommentPage, comments, [".success", ".comments", ".comments[].id"]],
    ["reseller envelope", ResellerEnvelope, reseller, [".code"]],
    ["tweets", TweetPage, tweets, [".tweets", ".has_next_page", ".tweets[].id"]],
    ["financial snapshot", FinancialSnapshot, snapshot, [".snapshot", ".snapshot.ticker"]]
  ] as const)("%s", (_, schema, shape, keep) => {
    for (const [path, value] of lacking(shape, keep)) {
      assert.isTrue(Exit.isSuccess(Schema.decodeUnknownExit(schema as Codec)(value)), path)
    }
  })
})

it("a link session needs its address and state, but not its expiry", () => {
  const fits = (value: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(LinkSession)(value))
  assert.isTrue(fits({ auth_url: "https://x", state: "s" }))
  assert.isFalse(fits({ auth_url: "https://x" }))
  assert.isFalse(fits({ state: "s" }))
})

it("linking asks for the scopes of the specification by default", () => {
  const scopes = ["follows.write", "tweet.read", "users.read", "tweet.write", "like.write", "dm.read", "dm.write"]
  assert.deepStrictEqual([...defaultScopes], scopes)
})

it("new, finished and unknown tasks are all valid", () => {
  const fits = (value: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(VideoTask)(value))
  assert.isTrue(fits({ output: { task_id: "t", task_status: "PENDING" }, request_id: "r" }))
  assert.isTrue(fits({ output: { task_id: "t", task_status: "FAILED", code: "c", message: "m" }, request_id: "r" }))
  assert.isTrue(fits({ output: { task_id: "t", task_status: "UNKNOWN" } }))
  assert.isFalse(fits({ output: { task_id: "t" } }))
})

it("the amounts of a usage report are exact integers", () => {
  const report = Schema.decodeUnknownSync(UsageReport)(sample(usageReport))
  assert.strictEqual(report.totals.charged_micros_usd, 7)
  assert.strictEqual(report.buckets[0]?.usage_value_micros_usd, 7)
})
