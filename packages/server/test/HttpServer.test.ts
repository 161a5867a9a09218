import { describe } from "@effect/vitest"
import { httpServerSuite } from "./httpServerSuite.ts"

describe("with the own reader", () => httpServerSuite(true))
