import { Link } from "@tanstack/react-router"
import { baseUrl } from "../../session/gateway.ts"
import { Card } from "../../ui/Card.tsx"
import { Code } from "../../ui/Code.tsx"
import classes from "./overview.module.css"

const curl = () =>
  [
    `curl ${baseUrl}/v1/rerank \\`,
    `  -H "Authorization: Bearer $TOLLGATE_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"query":"rivers","documents":["Rivers bend.","Stones do not."]}'`
  ].join("\n")

/** Nothing was called in this window, and how to change that. */
export const NoCalls = ({ ever }: { readonly ever: boolean }) => (
  <Card>
    <div className={classes["first"]}>
      <h2>{ever ? "No calls in this window" : "No calls yet"}</h2>
      <p className="soft">
        {ever
          ? "Choose a longer window, or make a call: it appears here within seconds."
          : "Make the first one in the playground, which shows the price before anything is sent, or from a shell."}
      </p>
      <p>
        <Link className="button main" to="/playground">
          Open the playground
        </Link>
      </p>
      <Code title="curl" code={curl()} />
    </div>
  </Card>
)
