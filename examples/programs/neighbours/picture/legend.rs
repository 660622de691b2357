//! Draws a color bar with numbers.

use std::convert::Infallible;

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_9X15};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Drawable, OriginDimensions, Pixel, Point, Size};
use embedded_graphics::prelude::{RgbColor, WebColors};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use image::{Rgb, RgbImage};

use crate::scale::{Scale, shade};

pub(super) const WIDTH: u32 = 120;
pub(super) const HEIGHT: u32 = 420;
const TITLE: u32 = 32;
const BAR: u32 = 22;

pub(super) fn draw(sheet: &mut RgbImage, left: u32, top: u32, scale: &Scale) {
    let (top_of_bar, height) = (top + TITLE, HEIGHT - TITLE);
    for row in 0..height {
        let color = shade(1.0 - f64::from(row) / f64::from(height - 1));
        for x in left..left + BAR {
            sheet.put_pixel(x, top_of_bar + row, color);
        }
    }

    let mut page = Page(sheet);
    let white = MonoTextStyle::new(&FONT_9X15, Rgb888::CSS_LIGHT_GRAY);
    let mut write = |text: &str, x: u32, y: u32| {
        let style = TextStyleBuilder::new()
            .alignment(Alignment::Left)
            .baseline(Baseline::Middle)
            .build();
        let text = Text::with_text_style(text, Point::new(x as i32, y as i32), white, style);
        match text.draw(&mut page) {
            Ok(_) => {}
        }
    };
    write("neighbours", left, top + 8);
    for tick in scale.ticks(20.0 / f64::from(height)) {
        let down = (1.0 - scale.height(tick.into())) * f64::from(height - 1);
        let y = top_of_bar + down.round() as u32;
        write(&format!("- {tick}"), left + BAR + 4, y);
    }
}

/// Lets the font library write on an image.
struct Page<'a>(&'a mut RgbImage);

impl OriginDimensions for Page<'_> {
    fn size(&self) -> Size {
        Size::new(self.0.width(), self.0.height())
    }
}

impl DrawTarget for Page<'_> {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Rgb888>>,
    {
        for Pixel(at, color) in pixels {
            if let Some(pixel) = self.0.get_pixel_mut_checked(at.x as u32, at.y as u32) {
                *pixel = Rgb([color.r(), color.g(), color.b()]);
            }
        }
        Ok(())
    }
}
