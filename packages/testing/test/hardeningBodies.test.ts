import { chats, compressed, depths, queries, sizes, texts } from "./hardening/bodies.ts"
import { testAll } from "./hardening/tried.ts"

testAll("a body that is hostile", { compressed, depths, chats, texts, sizes })
testAll("a query that is hostile", { queries })
