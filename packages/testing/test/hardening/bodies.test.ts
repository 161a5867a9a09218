import { chats, compressed, depths, queries, sizes, texts } from "@tollgate/testing/hardening/bodies"
import { testAll } from "@tollgate/testing/hardening/tried"

testAll("a body that is hostile", { compressed, depths, chats, texts, sizes })
testAll("a query that is hostile", { queries })
