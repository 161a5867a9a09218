import { Card } from "../../ui/Card.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import styles from "./playground.module.css"

/** The page while the operations are read, in its later shape. */
export const Loading = () => (
  <div className={styles["desk"]} aria-busy="true">
    <div className={styles["operations"]}>
      <Skeleton lines={14} />
    </div>
    <Card>
      <Skeleton lines={9} />
    </Card>
    <Card>
      <Skeleton lines={9} />
    </Card>
  </div>
)
