import type { Configuration } from "@tollgate/contract/admin/Configuration"
import { Card } from "../../../ui/Card.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import { Tag } from "../../../ui/Tag.tsx"
import { ago, fullTime } from "../../../ui/times.ts"
import { useNow } from "../../../ui/useNow.ts"

/** The configuration that calls use now. */
export const InForce = ({ configuration }: { readonly configuration: Configuration }) => {
  const now = useNow(1_000)
  const { file, loaded_at: at, sandbox, upstreams } = configuration
  return (
    <>
      {file === null ? (
        <Notice title="The gateway runs on its defaults">
          <p>
            Start it with <code>TOLLGATE_CONFIG=tollgate.jsonc</code> to set prices and upstreams in a file.
          </p>
        </Notice>
      ) : null}
      <Card title="In force">
        <dl className="facts">
          <dt>File</dt>
          <dd className="mono">{file ?? "none"}</dd>
          <dt>Loaded</dt>
          <dd>
            <time dateTime={at}>{fullTime(at)}</time> <span className="soft">({ago(at, now)})</span>
          </dd>
          <dt>Upstreams</dt>
          <dd>{upstreams.length === 0 ? <span className="soft">none</span> : upstreams.join(", ")}</dd>
          <dt>Sandbox</dt>
          <dd>
            {sandbox ? (
              <>
                <Tag kind="warn">On</Tag> <span className="soft">It answers what no upstream serves.</span>
              </>
            ) : (
              <Tag>Off</Tag>
            )}
          </dd>
        </dl>
      </Card>
    </>
  )
}
