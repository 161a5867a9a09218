import type { RuleTester } from "oxlint/plugins-dev"

export type Rule = Parameters<RuleTester["run"]>[1]

type Create = Extract<Rule, { create: unknown }>["create"]
export type Visitor = ReturnType<Create>
