import { formatPath, type Path } from "../../config/text/Problem.ts"
import type { Imported } from "./imported.ts"

/** Characters that a reader does not see, or that change how the text around them is read. Line breaks and tabs are common. */
const hidden = /[^\P{Cc}\n\r\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

const mostPlaces = 20

const placesIn = (root: unknown, at: Path): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const left: Array<readonly [value: unknown, at: Path]> = [[root, at]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, at] = next
    if (typeof value === "string" && hidden.test(value)) found.push(at)
    if (typeof value !== "object" || value === null) continue
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === "object" || typeof part === "string") left.push([part, [...at, key]])
      if (hidden.test(key)) found.push([...at, key])
    }
  }
  return found
}

/** A warning that names the texts of a document which say something else than they show. */
export const hiddenLines = ({
  operations,
  schemas
}: Pick<Imported, "operations" | "schemas">): ReadonlyArray<string> => {
  const places = [
    ...operations.flatMap((entry) => placesIn(entry, [String(entry.id)])),
    ...placesIn(schemas, ["schemas"])
  ]
  if (places.length === 0) return []
  const rest = places.length - mostPlaces
  return [
    "",
    "Warning: these texts have control or bidirectional characters, which hide what they say. Read them before you publish them:",
    ...places.slice(0, mostPlaces).map((place) => `  ${formatPath(place)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : [])
  ]
}
