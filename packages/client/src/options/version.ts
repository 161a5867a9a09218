/** The version of this package. `pnpm generate` writes it. */
export const version = "0.0.0"
