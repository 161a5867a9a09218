import AjvDraft4 from "ajv-draft-04"
import addFormats from "ajv-formats"
import { type Document, type Json, isJson } from "./Document.ts"

/** Checks values against schemas of a document. OpenAPI 3.0 extends draft 4 of JSON Schema. */
export class Schemas {
  readonly #ajv = new AjvDraft4.default({ allErrors: true, coerceTypes: false, strictTypes: false })
  readonly #document: Document
  readonly #compiled = new Map<string, (value: unknown) => string | undefined>()

  constructor(document: Document) {
    this.#document = document
    addFormats.default(this.#ajv)
    for (const keyword of ["components", "x-origin"]) this.#ajv.addKeyword(keyword)
  }

  /** What is wrong with the value; `undefined` if it fits. */
  check(schema: Json, value: unknown): string | undefined {
    const key = JSON.stringify(schema)
    const known = this.#compiled.get(key) ?? this.#compile(schema)
    this.#compiled.set(key, known)
    return known(value)
  }

  /** Text of an address or a header: it fits if what it means fits. */
  checkText(schema: Json, text: string): string | undefined {
    const { type } = schema
    if (type === "integer" || type === "number") {
      return /^-?\d+(?:\.\d+)?$/.test(text) ? this.check(schema, Number(text)) : `"${text}" is not a number`
    }
    if (type === "boolean") return text === "true" || text === "false" ? undefined : `"${text}" is not a boolean`
    return this.check(schema, text)
  }

  #compile(schema: Json): (value: unknown) => string | undefined {
    const { components } = this.#document.root
    const validate = this.#ajv.compile({
      allOf: [schema],
      components: { schemas: isJson(components) ? components.schemas : {} }
    })
    return (value) => (validate(value) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: "body" }))
  }
}
