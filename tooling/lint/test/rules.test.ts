import { RuleTester } from "oxlint/plugins-dev"
import { describe, it } from "vitest"
import plugin from "../plugin.ts"
import type { Rule } from "../src/Rule.ts"

RuleTester.describe = describe
RuleTester.it = it

const rules = plugin.rules

/** Each refused line is one error; each allowed line is none. */
const check = (
  name: keyof typeof rules,
  code: { refused: Array<string>; allowed: Array<string> },
  filename = "a.ts"
) => {
  const rule: Rule = rules[name]
  new RuleTester({ languageOptions: { parserOptions: { lang: "ts" } } }).run(name, rule, {
    valid: code.allowed.map((code) => ({ code, filename })),
    invalid: code.refused.map((code) => ({ code, filename, errors: 1 }))
  })
}

check("effect-subpath", {
  refused: [
    `import { Effect } from "effect"`,
    `import { HttpClient } from "effect/http"`,
    `export { Schema } from "effect"`,
    `export * from "effect/index"`,
    `const sql = await import("effect/sql")`
  ],
  allowed: [
    `import * as Schema from "effect/Schema"`,
    `import * as HttpClient from "effect/http/HttpClient"`,
    `import { it } from "@effect/vitest"`
  ]
})

check("no-ambient", {
  refused: [
    `Date.now()`,
    `const clock = Date.now`,
    `new Date()`,
    `globalThis.Math.random()`,
    `setTimeout(run, 10)`,
    `setInterval(run, 10)`,
    `crypto.randomUUID()`,
    `performance.now()`
  ],
  allowed: [`new Date(0)`, `Date.parse(text)`, `clock.now()`, `Math.max(1, 2)`, `timer.setTimeout(run, 10)`]
})

check("no-double-cast", {
  refused: [`const key = value as unknown as Key`],
  allowed: [`const key = value as Key`, `const open = value as unknown`, `const names = ["a"] as const`]
})

check(
  "own-package",
  {
    refused: [`import { x } from "../../contract/src/x.ts"`, `export * from "../../release/src/pack.ts"`],
    allowed: [
      `import { x } from "./x.ts"`,
      `import { y } from "../test/y.ts"`,
      `import { z } from "@tollgate/contract"`
    ]
  },
  `${import.meta.dirname}/packages/client/src/a.ts`
)
