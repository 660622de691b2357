// The canvas, and the camera, which the mouse turns. It draws only when something has changed.
import { Color, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export class Stage {
  // The margins, in pixels, are left free for text.
  constructor(canvas, { left = 20, right = 120, above = 60, below = 50 } = {}) {
    this.canvas = canvas;
    this.margin = { left, right, above, below };
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.scene = new Scene();
    this.scene.background = new Color(0x0d0e14);
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    // The size of a pixel at distance 1, shared by the materials that need it.
    this.pixel = { value: 0.001 };
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.renderer.setSize(width, height, false);
    const { left, right, above, below } = this.margin;
    this.camera.aspect = width / Math.max(height, 1);
    // The view is centered within the margins.
    this.camera.setViewOffset(width, height, (right - left) / 2, (below - above) / 2, width, height);
    this.pixel.value = (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(height, 1);
    this.draw();
  }

  // Moves the camera so that all of a box is visible.
  look(low, high, from) {
    const middle = new Vector3().addVectors(low, high).multiplyScalar(0.5);
    const eye = new Vector3(...from).normalize();
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).add(eye);
    this.camera.lookAt(middle);
    this.camera.updateMatrixWorld();
    const into = this.camera.matrixWorldInverse;
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { left, right, above, below } = this.margin;
    const share = (all, taken) => Math.max(1 - taken / Math.max(all, 1), 0.3);
    const [wide, tall] = [share(width, left + right) * this.camera.aspect, share(height, above + below)];
    let far = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new Vector3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
      const seen = corner.applyMatrix4(into);
      const away = Math.max(Math.abs(seen.x) / wide, Math.abs(seen.y) / tall) / slope;
      far = Math.max(far, away + seen.z + 1);
    }
    this.camera.position.copy(middle).addScaledVector(eye, Math.max(1.02 * far, 0.1));
    this.controls.update();
    this.draw();
  }

  // The line of sight through a place of the page: its start, its direction and the size of a pixel.
  ray(x, y) {
    const bounds = this.canvas.getBoundingClientRect();
    const place = new Vector3(
      ((x - bounds.left) / bounds.width) * 2 - 1,
      1 - ((y - bounds.top) / bounds.height) * 2,
      0.5,
    );
    const from = this.camera.position.clone();
    return { from, way: place.unproject(this.camera).sub(from).normalize(), pixel: this.pixel.value };
  }

  draw() {
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.renderer.render(this.scene, this.camera);
    });
  }
}
