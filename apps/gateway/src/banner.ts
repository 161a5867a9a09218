import * as Redacted from "effect/Redacted"

export interface Banner {
  readonly address: string
  readonly data: string
  readonly upstream: string
  /** `made`: just now, and shown this once. */
  readonly key:
    | { readonly is: "made"; readonly value: Redacted.Redacted }
    | { readonly is: "given" }
    | { readonly is: "kept" }
}

const keyLines = (key: Banner["key"]): ReadonlyArray<string> =>
  key.is === "made"
    ? [`  key      ${Redacted.value(key.value)}`, "           shown this once: keep it"]
    : key.is === "given"
      ? ["  key      the one in TOLLGATE_BOOTSTRAP_KEY"]
      : ["  key      made at an earlier start; set TOLLGATE_BOOTSTRAP_KEY to add one of your own"]

const keyWord = (key: Banner["key"]): string =>
  key.is === "made" ? Redacted.value(key.value) : key.is === "given" ? "$TOLLGATE_BOOTSTRAP_KEY" : "$TOLLGATE_KEY"

export const banner = ({ address, data, key, upstream }: Banner): string =>
  [
    "",
    `  Tollgate ${address}`,
    "",
    ...keyLines(key),
    `  data     ${data}`,
    `  upstream ${upstream}`,
    "",
    "  Try it:",
    "",
    `  curl ${address}/v1/rerank -H "Authorization: Bearer ${keyWord(key)}" -H "Content-Type: application/json" -d '{"query":"which river is longest?","documents":["Mount Everest is the highest mountain.","The Nile is the longest river in Africa."]}'`,
    "",
    "  Ctrl-C ends it.",
    ""
  ].join("\n")
