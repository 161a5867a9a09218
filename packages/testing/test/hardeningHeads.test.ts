import { oversized, repeated, values } from "./hardening/heads.ts"
import { testAll } from "./hardening/tried.ts"

testAll("a head that is hostile", { oversized, repeated, values })
