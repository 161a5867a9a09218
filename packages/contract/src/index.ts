export * as Catalogue from "./Catalogue.ts"
export { operations } from "./operations.ts"
