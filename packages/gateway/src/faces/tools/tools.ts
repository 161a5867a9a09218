import * as Schema from "effect/Schema"
import * as Inputs from "./inputs.ts"
import * as Lookup from "./lookupShapes.ts"
import * as Shapes from "./shapes.ts"
import * as Texts from "./texts.ts"

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

const jsonSchema = (schema: Schema.Constraint, isInput: boolean): Record<string, unknown> => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, {
    onExcessProperty: isInput ? "error" : "ignore"
  })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

const define = <I extends Schema.Constraint, O extends Schema.Constraint>(tool: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly hints: Hints
}) => ({
  ...tool,
  inputSchema: { ...jsonSchema(tool.input, true), type: "object" as const },
  outputSchema: jsonSchema(tool.output, false)
})

/** The five tools, as clients list them. */
export const tools = {
  search: define({
    name: "search",
    title: "Search operations",
    description: Texts.search,
    input: Inputs.Search,
    output: Lookup.SearchResult,
    hints: looksUp
  }),
  getDetails: define({
    name: "get_details",
    title: "Get an operation's details",
    description: Texts.getDetails,
    input: Inputs.GetDetails,
    output: Lookup.DetailsResult,
    hints: looksUp
  }),
  listCategories: define({
    name: "list_categories",
    title: "List categories",
    description: Texts.listCategories,
    input: Inputs.ListCategories,
    output: Lookup.CategoriesResult,
    hints: looksUp
  }),
  use: define({
    name: "use",
    title: "Call an operation",
    description: Texts.use,
    input: Inputs.Use,
    output: Shapes.UseResult,
    hints: spends
  }),
  batchUse: define({
    name: "batch_use",
    title: "Call several operations",
    description: Texts.batchUse,
    input: Inputs.BatchUse,
    output: Shapes.Batch,
    hints: spends
  })
}

export const names: ReadonlySet<string> = new Set(Object.values(tools).map(({ name }) => name))
