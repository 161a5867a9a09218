export * from "./Codec.ts"
