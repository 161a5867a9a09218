/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "6d82c5bdb40fc6d7af5edda9dce7a7e4db68e0569a76eb215e2fe1c8dfe98654"
