import type { ErrorFamily } from "./ErrorFamily.ts"
import type { Family } from "./Family.ts"
import { anthropic } from "./families/anthropic.ts"
import { data } from "./families/data.ts"
import { gemini } from "./families/gemini.ts"
import { openai } from "./families/openai.ts"
import { task } from "./families/task.ts"
import { usage } from "./families/usage.ts"

/** Every error family, by its name. The first whose `paths` match counts: the widest stands last. */
export const errorFamilies: Readonly<Record<Family, ErrorFamily>> = { usage, data, anthropic, gemini, task, openai }

/** The family of an operation, which answers everything about it. */
export const familyOf = ({ family }: { readonly family: Family }): ErrorFamily => errorFamilies[family]

const names = Object.keys(errorFamilies) as ReadonlyArray<Family>

/** The family of a path without an operation. */
export const familyOfPath = (path: string): Family =>
  names.find((name) => errorFamilies[name].paths?.test(path)) ?? "data"

/** The families whose SDKs name themselves, by the header with their version. */
export const namedFamilies: ReadonlyArray<Family> = names.filter(
  (name) => errorFamilies[name].versionHeader !== undefined
)

/** The family whose SDK calls, if that names itself. */
export const familyNamedIn = (headers: Readonly<Record<string, string | undefined>>): Family | undefined =>
  namedFamilies.find((name) => headers[errorFamilies[name].versionHeader ?? ""] !== undefined)
