import * as Schema from "effect/Schema"
import * as Inputs from "./inputs.ts"

// Read by models: short, exact, and the same words as the fields of the results.

export const instructions = `Use search to find an operation, get_details for its input and price, then use or batch_use to call it.
search, get_details and list_categories are free, and so are the operations account.balance (what is left to spend) and account.prices (what things cost). Other calls can cost money.
Before a paid call, the user must have approved its scope, its rate and the largest amount of USD that it can cost. Put that amount into max_price_usd: a call that could cost more is refused before anything is spent, and the result has its price. A model's answer for which you set no length limit is cut off where the cap ends: the result then has limited_by_cap. left in a result is what can still be spent.
Give each new paid call a new idempotency_key. If a result says that the outcome is unknown, the call may have run and may be charged: do not repeat it with a new key, send it again with the same idempotency_key and arguments.`

interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Only reads the gateway's own catalogue. */
const looksUp: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
/** Spends money and reaches other services, where it may change things. */
const spends: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const jsonSchema = (schema: Schema.Constraint): Record<string, unknown> => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

/**
 * No tool has an output schema: it would oblige every result to have structured content, which some clients show to their
 * model in place of the blocks, and which others do not read.
 */
const define = <I extends Schema.Constraint>(tool: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: I
  readonly hints: Hints
}) => ({ ...tool, inputSchema: { ...jsonSchema(tool.input), type: "object" as const } })

/** The five tools, as clients list them. */
export const tools = {
  search: define({
    name: "search",
    title: "Search operations",
    description: "Find operations by what they do. Returns ids, summaries and prices, best match first. Free.",
    input: Inputs.Search,
    hints: looksUp
  }),
  getDetails: define({
    name: "get_details",
    title: "Get an operation's details",
    description:
      "Get an operation's input schema, an example and its price. Free. Read it before you call the operation.",
    input: Inputs.GetDetails,
    hints: looksUp
  }),
  listCategories: define({
    name: "list_categories",
    title: "List categories",
    description: "List the categories of operations, with counts and price ranges, page by page. Free.",
    input: Inputs.ListCategories,
    hints: looksUp
  }),
  use: define({
    name: "use",
    title: "Call an operation",
    description:
      "Call one operation. Paid calls need the user's approval of scope, rate and largest cost first: pass that cost as max_price_usd. A call that could cost more is refused before anything is spent, with the estimate and the largest price in the result. The result has the answer in body, and its cost. On an error do what error.what_to_do says. If error.outcome is unknown, the call may have run and may be charged: keep the same idempotency_key and arguments when you repeat it, never a new key.",
    input: Inputs.Use,
    hints: spends
  }),
  batchUse: define({
    name: "batch_use",
    title: "Call several operations",
    description:
      "Call several operations, each as in use, with a cap for each call and max_total_usd for all. Paid calls need the user's approval first. Each result is in the place of its call; some can fail while others succeed. Never more than max_total_usd is spent. Repeat a call only as its error says, with the same idempotency_key.",
    input: Inputs.BatchUse,
    hints: spends
  })
}

export const names: ReadonlySet<string> = new Set(Object.values(tools).map(({ name }) => name))
