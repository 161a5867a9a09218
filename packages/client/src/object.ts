export { ObjectInvalid } from "./object/ObjectInvalid.ts"
export { object, type ObjectOptions, type ObjectResult } from "./object/object.ts"
export type { AnySchema, Issue, TypeOf } from "./model/schema.ts"
