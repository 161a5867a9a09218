import * as Schema from "effect/Schema"

/** As a browser sends it: no path, no slash at the end, and in lower case. */
const Origin = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[a-z0-9.:[\]-]+$/, { expected: "an origin such as https://inspector.example.com" })
)

/** The tool server. */
export const ToolsFile = Schema.Struct({
  /** Pages of these origins may call the tools, besides the gateway's own. */
  origins: Schema.optionalKey(Schema.Array(Origin))
})
