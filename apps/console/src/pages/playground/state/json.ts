import type { Arguments } from "../client/inputOf.ts"

export type Parsed<A> = { readonly value: A } | { readonly problem: string }

/** The platform's words name the place of the mistake. */
export const parseJson = (text: string): Parsed<unknown> => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const isObject = (value: unknown): value is Arguments =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const parseArguments = (text: string): Parsed<Arguments> => {
  const parsed = parseJson(text)
  if ("problem" in parsed) return parsed
  return isObject(parsed.value) ? { value: parsed.value } : { problem: "The arguments are one JSON object: { … }" }
}

export const problemIn = (text: string): string | undefined => {
  const parsed = parseArguments(text)
  return "problem" in parsed ? parsed.problem : undefined
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
