import { Link } from "@tanstack/react-router"
import type { Configuration } from "@tollgate/contract/admin/Configuration"
import type { ReactNode } from "react"
import { Card, Code, Facts } from "../../ui/kit.tsx"
import { ago, fullTime, useNow } from "../../ui/times.ts"

interface CurrentProps {
  readonly of: Configuration
  readonly action: ReactNode
}

/** The configuration in force. */
export const CurrentConfiguration = ({ action, of }: CurrentProps) => {
  const now = useNow(1_000)
  const { file, loaded_at: at, sandbox, upstreams, version } = of
  return (
    <Card title="Current configuration" action={action}>
      <Facts
        of={[
          ["File", file === null ? "None: the gateway runs on its defaults" : <span className="mono">{file}</span>],
          [
            "Loaded",
            <>
              <time dateTime={at}>{fullTime(at)}</time> <span className="soft">({ago(at, now)})</span>
            </>
          ],
          [
            "Upstreams",
            upstreams.length === 0 ? "None" : <Link to="/operator/upstreams" children={upstreams.join(", ")} />
          ],
          ["Sandbox", sandbox ? "On: it answers what no upstream serves" : "Off"],
          ["Version", version]
        ]}
      />
      {file === null ? (
        <Code
          title="Write a file for your upstreams, then start with it"
          code={"tollgate init\nTOLLGATE_CONFIG=tollgate.jsonc tollgate start"}
        />
      ) : null}
    </Card>
  )
}
