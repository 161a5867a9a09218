import * as Predicate from "effect/Predicate"

type Fields = { readonly [name: PropertyKey]: unknown }
type Read = (value: unknown) => unknown

/** Renames fields from `snake_case` to `camelCase`, since Gemini allows both. Recurses only into the fields of `inner`. */
const camel =
  (inner: Readonly<Record<string, Read>> = {}): Read =>
  (value) =>
    Predicate.isObject(value)
      ? Object.fromEntries(
          Object.entries(value as Fields).map(([name, field]) => {
            const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
            const read = Object.hasOwn(inner, key) ? inner[key] : undefined
            return [key, read === undefined ? field : read(field)]
          })
        )
      : value

const each =
  (read: Read): Read =>
  (value) =>
    Array.isArray(value) ? value.map(read) : value

const content = camel({ parts: each(camel()) })

export const camelBody = camel({
  contents: each(content),
  systemInstruction: content,
  tools: each(camel({ functionDeclarations: each(camel()) })),
  toolConfig: camel({ functionCallingConfig: camel() }),
  generationConfig: camel({ thinkingConfig: camel() })
})
