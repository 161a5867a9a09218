export { object, ObjectInvalid, type ObjectOptions, type ObjectResult } from "./object.ts"
export type { AnySchema, Issue, TypeOf } from "../schema.ts"
