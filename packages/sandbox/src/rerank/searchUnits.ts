import { count } from "../text/tokens.ts"

const documentsPerUnit = 100
const tokensPerChunk = 500

/** A unit is a hundred documents. One that is longer than a chunk, with the query, counts as several. */
export const searchUnits = (query: string, documents: ReadonlyArray<string>): number => {
  const room = Math.max(1, tokensPerChunk - count(query))
  const chunks = documents.reduce((sum, text) => sum + Math.max(1, Math.ceil(count(text) / room)), 0)
  return Math.ceil(chunks / documentsPerUnit)
}

/** What Cohere's answers say about themselves. */
export const meta = (version: string, query: string, documents: ReadonlyArray<string>) => ({
  api_version: { version },
  billed_units: { search_units: searchUnits(query, documents) }
})
