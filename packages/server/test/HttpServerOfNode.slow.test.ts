import { describe } from "@effect/vitest"
import { httpServerSuite } from "./httpServerSuite.ts"

describe("with node:http alone", () => httpServerSuite(false))
