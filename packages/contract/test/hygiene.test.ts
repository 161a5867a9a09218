import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import * as Catalogue from "../src/Catalogue.ts"
import { byStatus } from "../src/errors/ApiError.ts"
import { families } from "../src/errors/Family.ts"
import * as Headers from "../src/Headers.ts"
import { defaults, fill, type Names } from "../src/Names.ts"
import type { Operation } from "../src/Operation.ts"
import { named, operations } from "../src/operations.ts"
import { estimateTokens } from "../src/price/tokens.ts"
import * as limits from "../src/limits.ts"

const other: Names = {
  social_a: "birds",
  social_b: "photos",
  social_c: "clips",
  reseller: "vend-or",
  traffic_analytics: "visits",
  provider: "Acme"
}

/** Id and address of each operation in the specification, by file name. */
const specified = {
  usage: ["usage", "GET /v1/usage"],
  linkStart: ["social_a.auth", "POST /apis/v1/social_a/auth_social_a"],
  linkCallback: ["social_a.oauth_callback", "GET /apis/v1/social_a/oauth_callback"],
  follow: ["social_a.follow", "POST /apis/v1/social_a/follow_social_a"],
  videoCreate: ["video.create", "POST /apis/v1/services/aigc/video-generation/video-synthesis"],
  taskGet: ["task.get", "GET /apis/v1/services/aigc/tasks/{task_id}"],
  rerank: ["rerank", "POST /v1/rerank"],
  postComments: ["social_b.post_comments", "GET /apis/v1/social_b/post/comments"],
  creatorInsights: [
    "reseller.social_c.creator_search_insights_videos",
    "GET /apis/v1/reseller/social_c/app/v3/fetch_creator_search_insights_videos"
  ],
  wordSuggestions: [
    "reseller.social_c.search_word_suggestion",
    "GET /apis/v1/reseller/social_c/shop/web/fetch_search_word_suggestion_v2"
  ],
  tagDetail: ["reseller.social_c.tag_detail", "GET /apis/v1/reseller/social_c/web/fetch_tag_detail"],
  userStories: ["reseller.social_b.user_stories", "GET /apis/v1/reseller/social_b/v2/fetch_user_stories"],
  // Not in the specification: it names no address for cached answers, and no list of models in the Gemini format.
  cachedAnswer: ["reseller.cached_answer", "GET /apis/v1/reseller/cache/{id}"],
  modelListGemini: ["models.list_gemini", "GET /v1beta/models"],
  financialSnapshot: ["financial.metrics_snapshot", "GET /apis/v1/financial/financial-metrics/snapshot"],
  tweetQuotes: ["social_a.tweet_quotes", "GET /apis/v1/social_a/tweet/quotes"],
  trafficEngagement: [
    "traffic_analytics.traffic_engagement",
    "GET /apis/v1/traffic_analytics/website/traffic-engagement"
  ],
  chatCompletions: ["chat.completions", "POST /v1/chat/completions"],
  messages: ["messages", "POST /v1/messages"],
  generateContent: ["models.generate_content", "POST /v1beta/models/{model}:generateContent"],
  streamGenerateContent: ["models.stream_generate_content", "POST /v1beta/models/{model}:streamGenerateContent"],
  deepResearch: ["deep_research.search", undefined],
  imageGenerate: ["images.generate", undefined],
  modelList: ["models.list", "GET /v1/models"],
  contractVersion: ["contracts.version", "GET /api/contracts/version"],
  contractSource: ["contracts.source", "GET /api/contracts/source"],
  salesData: ["sales_api_data", "GET /api/sales-api-data"]
} as const

const idsOf = (names: ReadonlyArray<keyof typeof specified>) => names.map((name): string => specified[name][0]).sort()
const idOf = (operation: Operation, names: Names = defaults) => fill(operation.id, names)
/** Those beyond the described interface are not in the specification. */
const described = operations.filter(({ beyond }) => beyond !== true)

const idsWhere = (predicate: (operation: Operation) => boolean) =>
  described
    .filter(predicate)
    .map((operation) => idOf(operation))
    .sort()
const addressOf = (operation: Operation, names: Names) =>
  operation.path === undefined ? undefined : `${operation.method} ${fill(operation.path, names)}`

const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/)
const anyNames: fc.Arbitrary<Names> = fc.record({
  social_a: word,
  social_b: word,
  social_c: word,
  reseller: word,
  traffic_analytics: word,
  provider: fc.stringMatching(/^[A-Za-z0-9]{1,8}$/)
})
const sameWord: fc.Arbitrary<Names> = fc
  .oneof(word, fc.constantFrom("v1", "services", "financial", "models", "contracts"))
  .map((w) => ({ ...defaults, social_a: w, social_b: w, social_c: w, reseller: w, traffic_analytics: w }))

const schemasOf = (operation: Operation): ReadonlyArray<Schema.Constraint> =>
  [operation.success, operation.event, operation.request.body, operation.request.path, operation.request.query].filter(
    (schema) => schema !== undefined
  )

/** Every node of a schema, on both sides of its transformations. */
const nodes = (root: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  const seen = new Set<SchemaAST.AST>()
  const visit = (ast: SchemaAST.AST): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    for (const link of ast.encoding ?? []) visit(link.to)
    switch (ast._tag) {
      case "Objects":
        for (const property of ast.propertySignatures) visit(property.type)
        for (const index of ast.indexSignatures) {
          visit(index.parameter)
          visit(index.type)
        }
        return
      case "Arrays":
        return [...ast.elements, ...ast.rest].forEach(visit)
      case "Union":
        return ast.types.forEach(visit)
      case "Declaration":
        return ast.typeParameters.forEach(visit)
      case "Suspend":
        return visit(ast.thunk())
    }
  }
  visit(root)
  return [...seen]
}
const hasAny = (schema: Schema.Constraint) => nodes(schema.ast).some((node) => node._tag === "Any")

describe("the operations are those of the specification", () => {
  it("those whose tokens are limited say how many a request takes, and others do not load it", () => {
    for (const { expectedTokens, id, limit } of operations) {
      assert.deepStrictEqual([id, expectedTokens], [id, limit.tokens ? estimateTokens : undefined])
    }
  })

  it("by id", () => {
    const known = Object.values(specified).map(([id]): string => id)
    for (const [name, operation] of Object.entries(named)) {
      const message = `${name}: the specification does not have it, so src/operations/${name}.ts needs \`beyond: true\``
      if (operation.beyond !== true) assert.include(known, idOf(operation), message)
    }
    assert.deepStrictEqual(
      idsWhere(() => true),
      known.sort()
    )
  })

  it.each(Object.values(specified))("%s at %s", (id, address) => {
    const operation = operations.find((candidate) => idOf(candidate) === id)
    assert.isDefined(operation)
    assert.strictEqual(addressOf(operation!, defaults), address)
  })

  it("exactly the operations that the specification leaves incomplete are pending", () => {
    const pending = idsOf([
      "follow",
      "videoCreate",
      "postComments",
      "creatorInsights",
      "wordSuggestions",
      "tagDetail",
      "userStories",
      "trafficEngagement",
      "chatCompletions",
      "messages",
      "generateContent",
      "streamGenerateContent",
      "deepResearch",
      "imageGenerate",
      "modelList",
      "modelListGemini",
      "linkCallback",
      "salesData"
    ])
    assert.deepStrictEqual(
      idsWhere((operation) => operation.pending.length > 0),
      pending
    )
    const listed = Catalogue.entries(Catalogue.make(operations, defaults))
    assert.deepStrictEqual(
      listed
        .filter((entry) => entry.state === "pending")
        .map((entry) => entry.id)
        .sort(),
      pending
    )
  })

  it("exactly the operations without a specified path lack one", () => {
    assert.deepStrictEqual(
      idsWhere((operation) => operation.path === undefined),
      idsOf(["deepResearch", "imageGenerate"])
    )
    assert.deepStrictEqual(
      idsWhere((operation) => operation.pending.some((pending) => pending.open === "path")),
      idsOf(["deepResearch", "imageGenerate"])
    )
  })

  it("parameters without a specified name have only a role", () => {
    const roles = operations.flatMap((operation) =>
      operation.pending.flatMap((pending) =>
        pending.open === "parameter" ? [`${idOf(operation)} ${pending.role} ${pending.type}`] : []
      )
    )
    assert.sameMembers(roles, [
      "social_b.post_comments cursor string",
      "reseller.social_c.creator_search_insights_videos offset integer",
      "reseller.social_c.creator_search_insights_videos page_size integer",
      "reseller.social_c.search_word_suggestion language string",
      "reseller.social_c.search_word_suggestion region string"
    ])
  })

  it("limit groups follow the table of overrides, and are standard elsewhere", () => {
    const group = (id: string) => idsWhere((operation) => operation.limit.id === id)
    assert.deepStrictEqual(group(limits.inference.id), idsOf(["chatCompletions", "messages"]))
    assert.deepStrictEqual(group(limits.deepResearch.id), idsOf(["deepResearch"]))
    assert.deepStrictEqual(group(limits.generateContent.id), idsOf(["generateContent", "streamGenerateContent"]))
    assert.deepStrictEqual(group(limits.image.id), idsOf(["imageGenerate"]))
    assert.deepStrictEqual(group(limits.video.id), idsOf(["videoCreate"]))
    assert.lengthOf(group(limits.standard.id), described.length - 7)
  })

  it("exactly these operations are free", () => {
    assert.deepStrictEqual(
      idsWhere((operation) => operation.price.contract === "free"),
      idsOf([
        "usage",
        "linkStart",
        "linkCallback",
        "taskGet",
        "modelList",
        "modelListGemini",
        "cachedAnswer",
        "contractVersion",
        "contractSource",
        "salesData"
      ])
    )
  })

  it("each operation has the error family of its protocol", () => {
    const family = (name: string) => idsWhere((operation) => operation.family === name)
    assert.deepStrictEqual(family("usage"), idsOf(["usage"]))
    assert.deepStrictEqual(family("anthropic"), idsOf(["messages"]))
    assert.deepStrictEqual(family("gemini"), idsOf(["generateContent", "streamGenerateContent", "modelListGemini"]))
    assert.deepStrictEqual(family("task"), idsOf(["videoCreate", "taskGet"]))
    assert.deepStrictEqual(
      family("openai"),
      idsOf(["chatCompletions", "rerank", "deepResearch", "imageGenerate", "modelList"])
    )
  })

  it("exactly these operations are never retried when the outcome is unknown", () => {
    assert.deepStrictEqual(
      idsWhere((operation) => operation.replay === "create"),
      idsOf(["follow", "videoCreate", "linkCallback"])
    )
  })

  it("every operation needs a credential, except the link callback and those for the website", () => {
    assert.deepStrictEqual(
      idsWhere((operation) => operation.access === "open"),
      idsOf(["linkCallback", "contractVersion", "contractSource", "salesData"])
    )
    assert.deepStrictEqual(
      idsWhere((operation) => operation.access === "hidden"),
      idsOf(["trafficEngagement"])
    )
  })

  it("a write that may lack a scope declares 403", () => {
    assert.deepStrictEqual(
      idsWhere((operation) => operation.errors.includes(403)),
      idsOf(["follow"])
    )
  })
})

describe.each(Object.entries(named))("src/operations/%s.ts", (_, operation) => {
  it("has all fields of a description", () => {
    assert.isNotEmpty(operation.summary.trim())
    assert.isNotEmpty(operation.category)
    assert.include(families, operation.family)
    assert.include(Object.values(limits), operation.limit)
    assert.include(["free", "billed", "create"], operation.replay)
    assert.include(["gateway", "native", "managed"], operation.upstream)
    assert.isNotEmpty(operation.price.contract)
    assert.isNotEmpty(operation.contentType)
    for (const text of [operation.summary, operation.description ?? ""])
      assert.notMatch(text, /[{}<>]/, "no placeholder")
  })

  it("declares each status once, and all statuses that its calls can get", () => {
    assert.strictEqual(new Set(operation.errors).size, operation.errors.length)
    for (const status of operation.errors) assert.property(byStatus, String(status))
    assert.includeMembers([...operation.errors], [429, 500, 503])
    if (operation.access !== "open") assert.include(operation.errors, 401)
    if (operation.access === "hidden") assert.include(operation.errors, 404)
    if (operation.price.contract !== "free") assert.includeMembers([...operation.errors], [400, 402, 409, 422])
    if (operation.upstream === "native") assert.include(operation.errors, 502)
  })

  it("can always be retried exactly if it is free", () => {
    // The callback costs nothing, but an authorization code can be exchanged only once.
    const exception = operation.id === "{social_a}.oauth_callback"
    assert.strictEqual(operation.replay === "free", operation.price.contract === "free" && !exception)
  })

  it("has a schema for exactly the parameters of its path", () => {
    const inPath = [...fill(operation.path ?? "", defaults).matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "")
    const ast = operation.request.path?.ast
    const described = ast?._tag === "Objects" ? ast.propertySignatures.map((property) => property.name) : []
    assert.deepStrictEqual(described, inPath)
  })

  it("uses no Any in its schemas", () => {
    for (const schema of schemasOf(operation)) assert.isFalse(hasAny(schema))
  })

  it("has no body on a GET", () => {
    if (operation.method === "GET") assert.isUndefined(operation.request.body)
  })
})

it("the check for Any finds it at any depth", () => {
  const schemas = [
    Schema.Any,
    Schema.Struct({ a: Schema.Array(Schema.Any) }),
    Schema.Record(Schema.String, Schema.NullOr(Schema.Any)),
    Schema.Struct({ a: Schema.optionalKey(Schema.Tuple([Schema.Any])) }),
    Schema.Any.pipe(Schema.decodeTo(Schema.Unknown)),
    Schema.Option(Schema.Any),
    Schema.suspend(() => Schema.Any)
  ]
  for (const schema of schemas) assert.isTrue(hasAny(schema))
  assert.isFalse(hasAny(Schema.Struct({ a: Schema.Unknown })))
})

describe("under any names", () => {
  it.each([
    ["defaults", fc.constant(defaults)],
    ["any names", anyNames],
    ["the same name for all", sameWord]
  ] as const)("%s: ids and addresses stay unique", (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (names) => {
        const ids = operations.map((operation) => idOf(operation, names))
        assert.strictEqual(new Set(ids).size, ids.length)
        const addresses = operations
          .map((operation) => addressOf(operation, names)?.replace(/\{\w+\}/g, "{}"))
          .filter((address) => address !== undefined)
        assert.strictEqual(new Set(addresses).size, addresses.length)
      })
    )
  })

  it("new names replace the old ones in every id, path and header", () => {
    const { bound, byId } = Catalogue.make(operations, other)
    const old = new RegExp(Object.values(defaults).join("|"), "i")
    for (const operation of bound) {
      assert.notMatch(operation.id, old)
      assert.notMatch(operation.path, old)
      assert.match(operation.path.replaceAll(/\{\w+\}/g, ""), /^\/[\w./:-]+$/)
      for (const name of Object.keys(operation.request.headers ?? {})) assert.notMatch(name, old)
    }
    assert.strictEqual(byId.get("birds.follow")?.path, "/apis/v1/birds/follow_birds")
    assert.strictEqual(byId.get("birds.auth")?.path, "/apis/v1/birds/auth_birds")
    assert.strictEqual(byId.get("photos.post_comments")?.path, "/apis/v1/photos/post/comments")
    assert.strictEqual(byId.get("vend-or.photos.user_stories")?.path, "/apis/v1/vend-or/photos/v2/fetch_user_stories")
    assert.strictEqual(byId.get("vend-or.clips.tag_detail")?.path, "/apis/v1/vend-or/clips/web/fetch_tag_detail")
    assert.strictEqual(byId.get("visits.traffic_engagement")?.path, "/apis/v1/visits/website/traffic-engagement")
    assert.deepStrictEqual(byId.get("video.create")?.request.headers, { "X-Acme-Async": "enable" })
  })

  it("header names contain the provider's name", () => {
    const named = [
      Headers.costMode,
      Headers.maxPrice,
      Headers.cost,
      Headers.costState,
      Headers.replayedCost,
      Headers.idempotencyMode,
      Headers.contractHash,
      Headers.docsRevision
    ]
    const suffixes = [
      "Cost-Mode",
      "Max-Price-Usd",
      "Cost-Micros-Usd",
      "Cost-State",
      "Replayed-Cost-Micros-Usd",
      "Idempotency-Mode",
      "Contract-Hash",
      "Docs-Revision"
    ]
    assert.deepStrictEqual(
      named.map((header) => header(defaults)),
      suffixes.map((suffix) => `X-Tollgate-${suffix}`)
    )
    assert.deepStrictEqual(
      named.map((header) => header(other)),
      suffixes.map((suffix) => `X-Acme-${suffix}`)
    )
  })
})
