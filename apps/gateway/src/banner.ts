import * as Redacted from "effect/Redacted"

export interface Banner {
  readonly address: string
  readonly data: string
  readonly upstream: string
  /** `created` at this start, `bootstrap` from the environment, or `existing` from an earlier start. */
  readonly key:
    | { readonly is: "created"; readonly value: Redacted.Redacted }
    | { readonly is: "bootstrap" }
    | { readonly is: "existing" }
}

const keyLines = (key: Banner["key"]): ReadonlyArray<string> =>
  key.is === "created"
    ? [`  key      ${Redacted.value(key.value)}`, "           shown only this once: keep it"]
    : key.is === "bootstrap"
      ? ["  key      the one in TOLLGATE_BOOTSTRAP_KEY"]
      : ["  key      created at an earlier start; set TOLLGATE_BOOTSTRAP_KEY to add one of your own"]

const keyInCommand = (key: Banner["key"]): string =>
  key.is === "created"
    ? Redacted.value(key.value)
    : key.is === "bootstrap"
      ? "$TOLLGATE_BOOTSTRAP_KEY"
      : "$TOLLGATE_KEY"

export const banner = ({ address, data, key, upstream }: Banner): string =>
  [
    "",
    `  Tollgate ${address}`,
    "",
    ...keyLines(key),
    `  data     ${data}`,
    `  upstream ${upstream}`,
    `  agents   ${address}/mcp`,
    "",
    "  Try it:",
    "",
    `  curl ${address}/v1/rerank -H "Authorization: Bearer ${keyInCommand(key)}" -H "Content-Type: application/json" -d '{"query":"which river is longest?","documents":["Mount Everest is the highest mountain.","The Nile is the longest river in Africa."]}'`,
    "",
    "  Ctrl-C ends it.",
    ""
  ].join("\n")
