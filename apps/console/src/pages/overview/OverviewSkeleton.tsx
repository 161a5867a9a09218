import { Card } from "../../ui/Card.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import classes from "./overview.module.css"

/** The page before its figures arrive, in its size. */
export const OverviewSkeleton = () => (
  <div role="status" aria-label="Loading">
    <div className={classes["placeholder"]}>
      <Skeleton tall lines={1} />
    </div>
    <div className={classes["columns"]}>
      <Card title="Requests">
        <div className={classes["plot"]}>
          <Skeleton lines={8} />
        </div>
      </Card>
      <Card title="Can be spent">
        <Skeleton lines={6} />
      </Card>
    </div>
  </div>
)
